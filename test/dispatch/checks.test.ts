/**
 * P83: a push with checks whose worker is lost, in each phase: the record reports what was recorded, and no
 * more.
 */
import { expect, test } from "vitest";
import type { CheckNote, PushPhase } from "../../src/api/jobs/checks.ts";
import type { JobRecord } from "../../src/api/jobs/job.ts";
import { ServiceError } from "../../src/base/errors.ts";
import type { RunOptions } from "../../src/pool/port.ts";
import type { Task } from "../../src/protocol/task.ts";
import { type FakePool, fakePool } from "../support/fake-pool.ts";
import { type Node, startNode } from "../support/node.ts";
import { configure } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const lines = ["router bgp 1", "no neighbor x"];
const phases = ["before", "push", "pushed", "after", "confirm", "undo"] as const;
type Phase = (typeof phases)[number];

const noted: Readonly<Record<Phase, readonly PushPhase[]>> = {
  before: [],
  push: ["push"],
  pushed: ["push"],
  after: ["push", "after"],
  confirm: ["push", "after", "confirm"],
  undo: ["push", "after", "undo"],
};

/** Each host is named after the phase that its task reaches; then `end` decides. */
function phasePool(end: (host: string) => Promise<never> | undefined): FakePool {
  const inner = fakePool();
  return {
    ...inner,
    run: async <T extends Task>(task: T, options: RunOptions) => {
      const host = task.kind === "configure" ? String(task.connection.host) : "";
      const phase = phases.find((known) => known === host);
      if (task.kind !== "configure" || phase === undefined) return inner.run(task, options);
      expect(task.checks).toMatchObject({ settleMs: 1_000, onFailure: "undo" });
      await comeTo(phase, options);
      const ended = end(host);
      if (ended) return ended;
      return inner.run(task, options);
    },
  };
}

async function comeTo(phase: Phase, { answer }: RunOptions): Promise<void> {
  const result = { command: "show bgp", ok: true, value: true, expected: null, message: "fine" };
  const note = (at: PushPhase): CheckNote => ({ phase: at, how: "rollback", before: [result] });
  for (const at of noted[phase]) {
    await answer?.({ about: "checks", note: note(at) });
    if (at === "push" && phase !== "push") await answer?.({ about: "sending", lines: [...lines] });
  }
}

const request = (host: string) =>
  configure(host, lines, {
    checks: { after: [{ command: "show bgp", contains: "Established" }], settle_seconds: 1 },
  });

/** The expected record. */
function expectKnown(phase: Phase, record: JobRecord): void {
  expect(record.status, phase).toBe("failed");
  expect(record.result?.error).toMatchObject({ type: "WorkerLost", outcome: "unknown", sent: lines });
  expect(record.result).not.toHaveProperty("checks");
  expect(record.checks, phase).toMatchObject({
    before: [{ command: "show bgp", ok: true }],
    after: [],
    pushed: phase === "pushed" ? "unknown" : true,
    undone: "unknown",
    how: "rollback",
    message: expect.stringContaining("unknown"),
  });
}

const sent = phases.filter((phase) => phase !== "before" && phase !== "push");

test("a push with checks whose thread dies reports exactly what was recorded, in each phase", async () => {
  const folder = temporary();
  const pool = phasePool(() => Promise.reject(new ServiceError("WorkerLost", "The thread died.")));
  const node = await startNode({ directory: folder.path, pool });
  for (const phase of sent) expectKnown(phase, await node.ended(await node.submit(request(phase))));
  // Nothing was recorded as sent: it runs again, three times, and its result does not mention a push.
  for (const phase of ["before", "push"] as const) {
    const record = await node.ended(await node.submit(request(phase)));
    expect(record.result?.error).toMatchObject({ type: "WorkerLost" });
    expect(record.result?.error).not.toHaveProperty("outcome");
    expect(record).not.toHaveProperty("checks");
  }
  await node.stop();
  folder.remove();
});

test("a push with checks whose node dies reports exactly what was recorded, in each phase", async () => {
  const folder = temporary();
  const reached = new Map(phases.map((phase) => [phase as string, Promise.withResolvers<void>()]));
  const never = new Promise<never>(() => {});
  const dying = phasePool((host) => {
    reached.get(host)?.resolve();
    return never;
  });
  const first = await startNode({ directory: folder.path, pool: dying });
  const ids = new Map<Phase, string>();
  for (const phase of phases) ids.set(phase, await first.submit(request(phase)));
  await Promise.all([...reached.values()].map(({ promise }) => promise));
  await first.kill();
  const second: Node = await startNode({ directory: folder.path, pool: phasePool(() => undefined) });
  for (const phase of phases) {
    const record = await second.ended(ids.get(phase) ?? "");
    if (sent.includes(phase as (typeof sent)[number])) expectKnown(phase, record);
    else expect(record.status, phase).toBe("finished");
  }
  await second.stop();
  folder.remove();
});

test("the record has the report of the checks, but only if the job has checks", async () => {
  const folder = temporary();
  const report = {
    ...{ before: [], after: [], pushed: true, undone: true, how: "rollback", message: "taken back" },
  } as const;
  const detail = { outcome: "none" as const, checks: report, partial: [{ command: "x", output: "pushed" }] };
  const inner = fakePool();
  const pool: FakePool = {
    ...inner,
    run: (task, options) => {
      if (task.kind !== "configure") return inner.run(task, options);
      return Promise.reject(new ServiceError("CheckFailed", "1 of 1 failed", detail));
    },
  };
  const node = await startNode({ directory: folder.path, pool });
  const record = await node.ended(await node.submit(request("r1")));
  expect(record).toMatchObject({
    status: "failed",
    error_type: "CheckFailed",
    checks: report,
    result: {
      type: "failed",
      retval: { x: "pushed" },
      error: { type: "CheckFailed", message: "1 of 1 failed" },
    },
  });
  expect(record.result?.error).not.toHaveProperty("checks");
  const plain = await node.ended(await node.submit(configure("r2", lines)));
  expect(plain).not.toHaveProperty("checks");
  await node.stop();
  folder.remove();
});
