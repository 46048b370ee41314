/** Part of the driver suite: pushes with checks. They are confirmed, rolled back, or kept on request. */
import { strict as assert } from "node:assert";
import type { JobRecord } from "../api/jobs/job.ts";
import { type Case, shown } from "./case.ts";
import type { Relay } from "./relay.ts";

export interface CheckedSuite {
  /** A show command. */
  readonly query: string;
  /** Unique lines per push. */
  config(): readonly string[];
  run(more: object): Promise<JobRecord>;
  finishes(job: Promise<JobRecord>): Promise<JobRecord>;
  /** How often each of the lines has reached the device. */
  times(lines: readonly string[]): readonly number[];
  relay(): Relay;
  /** Error kinds of a cut connection. */
  readonly lost: readonly string[];
  /** Byte counts after which to cut a session. */
  steps(): Promise<readonly number[]>;
}

/** Tests every third of them. */
const stride = 3;
/** Text that no device prints. */
const never = "no-device-says-this";

export function checkedCases({
  query,
  config,
  run,
  finishes,
  times,
  relay,
  lost,
  steps,
}: CheckedSuite): Case[] {
  const failing = { command: query, contains: never };

  /** Once a line was sent, the record must say that it was reverted, that it is active, or that this is unknown. */
  async function cutAt(bytes: number): Promise<void> {
    const lines = config();
    const before = relay().cuts();
    relay().dropAfter(bytes);
    const job = await run({
      config: lines,
      checks: { after: [failing] },
      options: { queue_strategy: "fifo" },
    });
    relay().pass();
    assert.equal(job.status, "failed", shown(job));
    const { type = "", outcome } = job.result?.error ?? {};
    const isWhole = relay().cuts() === before;
    assert.ok(isWhole || type === "CheckFailed" || lost.includes(type), shown(job));
    const isReported = outcome === "unknown" || job.checks?.undone === true || type === "CheckFailed";
    if (times(lines).some((count) => count > 0))
      assert.ok(isReported, `sent, but not reported: ${shown(job)}`);
  }

  return [
    {
      name: "a push with checks stays if they pass, and is rolled back, or stays with a warning, if one fails",
      async run() {
        const passes = { command: query, not_contains: never };
        const lines = config();
        const done = await finishes(run({ config: lines, checks: { before: [passes], after: [passes] } }));
        assert.equal(done.checks?.pushed, true, shown(done));
        assert.deepEqual(
          times(lines),
          lines.map(() => 1),
        );
        const job = await run({ config: config(), checks: { after: [failing] } });
        assert.equal(job.result?.error?.type, "CheckFailed", shown(job));
        const warned = job.warnings?.some((text) => /guarantee a rollback/.test(text)) === true;
        assert.ok(job.checks?.undone === true || (job.checks?.undone === false && warned), shown(job));
        await finishes(run({ command: query }));
      },
    },
    {
      name: "a push with checks on a dropped connection reports what is known",
      async run() {
        for (const bytes of (await steps()).filter((_, at) => at % stride === 0)) await cutAt(bytes);
        await finishes(run({ command: query }));
      },
    },
  ];
}
