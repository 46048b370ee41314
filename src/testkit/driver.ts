/** Test suite for drivers: the guarantees their users rely on, for any behaviour of device and network. */
import { strict as assert } from "node:assert";
import type { JobRecord } from "../api/jobs/job.ts";
import type { DriverPlugin } from "../plugin/driver.ts";
import { type Case, casesOf, shown } from "./case.ts";
import { checkedCases } from "./checked-push.ts";
import { assertNoSecret, assertNoSecretKept } from "./leaks.ts";
import type { Relay } from "./relay.ts";
import type { Service } from "./service.ts";

export interface DriverSuiteOptions {
  readonly plugin: DriverPlugin;
  service(): Service;
  /** Relay in front of the device: `startRelay({ port })`, or `startUdpRelay({ port })`. */
  relay(): Relay;
  /** `connection_args` for a device at this address. */
  connection(host: string, port: number): Readonly<Record<string, unknown>>;
  /** Connection fields that the device rejects; absent if it has no login. */
  readonly wrong?: Readonly<Record<string, unknown>>;
  /** A show command. */
  readonly query: string;
  /** A command that the device refuses, if the driver detects refused queries. */
  readonly refusedQuery?: string;
  /** Lines of push number `n`, different for each `n`; absent if the driver has no configuration push. */
  config?(n: number): readonly string[];
  /** Lines of which the device refuses one. */
  readonly refusedConfig?: readonly string[];
  /** The lines that have reached the device so far. */
  taken?(): readonly string[];
  /** Texts that must not leak: the secrets in `connection` and `wrong`. */
  readonly secrets: readonly string[];
  /** A command whose output contains a secret. */
  readonly tellsSecret?: string;
  /** Those of the steps of a session at which its connection drops; default: all. */
  cuts?(steps: readonly number[]): readonly number[];
}

/** Valid error kinds for a cut or silent connection; never a failed login or a refused command. */
const lost = ["ConnectionLost", "ConnectionTimeout", "ConnectionRefused", "HostUnreachable", "ReadTimeout"];
const late = [...lost, "JobTimeout"];
/** Number of positions at which a session is cut. */
const maxCuts = 14;

export function driverSuite(options: DriverSuiteOptions): Case[] {
  const { plugin, service, relay, query, secrets, config } = options;
  const answers: JobRecord[] = [];
  let pushes = 0;

  function body(more: object, connection: object = {}) {
    const connection_args = { ...options.connection("127.0.0.1", relay().port), ...connection };
    return { driver: plugin.name, connection_args, ...more };
  }

  async function run(more: object, connection?: object): Promise<JobRecord> {
    const job = await service().run(body(more, connection));
    answers.push(job);
    return job;
  }

  const fresh = { options: { queue_strategy: "fifo" } };
  const finishes = async (job: Promise<JobRecord>) => {
    const record = await job;
    assert.equal(record.status, "finished", shown(record));
    return record;
  };
  const reached = (line: string) => options.taken?.().filter((each) => each === line).length ?? 0;
  /** What had reached the device before the current push: a refused one may have begun with the same line. */
  let earlier = new Map<string, number>();
  const push = (make: NonNullable<typeof config>) => {
    const lines = make(++pushes);
    earlier = new Map(lines.map((line) => [line, reached(line)]));
    return lines;
  };
  /** How often each line of the current push has reached the device. */
  const times = (lines: readonly string[]) => lines.map((line) => reached(line) - (earlier.get(line) ?? 0));

  /** Ends the kept sessions. A job that starts at that moment may fail; the next one must not. */
  async function lose(): Promise<void> {
    relay().resetAll();
    await relay().idle();
    const job = await run({ command: query });
    if (job.status !== "finished") assert.equal(job.result?.error?.type, "ConnectionLost", shown(job));
    await finishes(run({ command: query }));
  }

  /** The packet boundaries of one clean session, reduced to a selection. */
  async function steps(more: object): Promise<number[]> {
    relay().pass();
    // Sessions kept for the next job.
    relay().resetAll();
    await relay().idle();
    await finishes(run({ ...more, ...fresh }));
    await relay().idle();
    const ends = [0, ...relay().packets()];
    const stride = Math.max(1, Math.ceil(ends.length / maxCuts));
    return ends.filter((_, at) => at % stride === 0 || at === ends.length - 2);
  }

  /** The steps at which a session is cut. */
  async function cuts(more: object): Promise<readonly number[]> {
    const all = await steps(more);
    return options.cuts?.(all) ?? all;
  }

  /** Cuts the connection after this many bytes: the job must fail with the right kind and report what was sent. */
  async function cutAt(bytes: number, more: object, lines: readonly string[]): Promise<void> {
    const before = relay().cuts();
    relay().dropAfter(bytes);
    const job = await run({ ...more, ...fresh });
    relay().pass();
    const where = `after ${bytes} bytes: ${shown(job)}`;
    const counts = times(lines);
    assert.ok(
      counts.every((count) => count <= 1),
      `a line was sent twice ${where}`,
    );
    if (job.status === "finished") {
      assert.ok(
        counts.every((count) => count === 1),
        `finished, and not all was sent ${where}`,
      );
      return;
    }
    assert.ok(relay().cuts() > before, `failed on a line that was whole ${where}`);
    assert.ok(lost.includes(job.result?.error?.type ?? ""), `failed with another error ${where}`);
    if (counts.some((count) => count > 0))
      assert.equal(
        job.result?.error?.outcome,
        "unknown",
        `lines were sent, but the outcome is not "unknown" ${where}`,
      );
  }

  return casesOf([
    {
      name: "a connection test succeeds",
      async run() {
        relay().pass();
        const answer = await service().call<{ success: boolean }>(
          "POST",
          "/device/test-connection",
          body({}),
        );
        assert.equal(answer.body.data.success, true, shown(answer.body));
      },
    },
    {
      name: "a query returns an output per command",
      async run() {
        const job = await finishes(run({ command: [query, query] }));
        assert.deepEqual(Object.keys(job.result?.retval ?? {}), [query, `${query} #2`]);
      },
    },
    config !== undefined && {
      name: "a push reaches the device once",
      async run() {
        const lines = push(config);
        await finishes(run({ config: lines }));
        assert.deepEqual(
          times(lines),
          lines.map(() => 1),
        );
      },
    },
    options.wrong !== undefined && {
      name: "a rejected login fails as AuthenticationFailed",
      async run() {
        const job = await run({ command: query, ...fresh }, options.wrong);
        assert.equal(job.result?.error?.type, "AuthenticationFailed", shown(job));
      },
    },
    options.refusedQuery !== undefined && {
      name: "a refused command fails as CommandError, and the next job works",
      async run() {
        const job = await run({ command: [options.refusedQuery] });
        assert.equal(job.result?.error?.type, "CommandError", shown(job));
        await finishes(run({ command: query }));
      },
    },
    options.refusedConfig !== undefined && {
      name: "a refused line fails as CommandError, and the next job works",
      async run() {
        const job = await run({ config: options.refusedConfig });
        assert.equal(job.result?.error?.type, "CommandError", shown(job));
        await finishes(run({ command: query }));
      },
    },
    {
      name: "a query whose connection drops at any step fails as lost",
      async run() {
        for (const bytes of await cuts({ command: query })) await cutAt(bytes, { command: query }, []);
        await finishes(run({ command: query }));
      },
    },
    config !== undefined && {
      name: "a push whose connection drops at any step is sent once and reports what was sent",
      async run() {
        for (const bytes of await cuts({ config: push(config) })) {
          const lines = push(config);
          await cutAt(bytes, { config: lines }, lines);
        }
        await finishes(run({ command: query }));
      },
    },
    ...(config === undefined
      ? []
      : checkedCases({
          query,
          config: () => push(config),
          run,
          finishes,
          times,
          relay,
          lost,
          steps: () => steps({ command: query }),
        })),
    {
      name: "a device that stops responding fails the job at its ttl, and the connection is closed",
      async run() {
        const ends = await steps({ command: query });
        for (const bytes of [0, ends[Math.floor((ends.length - 1) / 2)] ?? 0]) {
          relay().holdAfter(bytes);
          const job = await run({ command: query, options: { ...fresh.options, ttl: 2 } });
          assert.ok(late.includes(job.result?.error?.type ?? ""), shown(job));
          await relay().idle();
        }
        relay().pass();
        await finishes(run({ command: query }));
      },
    },
    {
      name: "a cancelled job fails as Cancelled, and its connection is closed",
      async run() {
        const ends = await steps({ command: query });
        const { held } = relay().holdAfter(ends[Math.floor((ends.length - 1) / 2)] ?? 0);
        const submitted = await service().call<{ id: string }>(
          "POST",
          "/device/execute",
          body({ command: query, ...fresh }),
        );
        const { id } = submitted.body.data;
        await held;
        await service().call("DELETE", `/job?id=${id}&force=true`);
        const job = await service().ended(id);
        assert.equal(job.result?.error?.type, "Cancelled", shown(job));
        await relay().idle();
        relay().pass();
        await finishes(run({ command: query }));
      },
    },
    {
      name:
        plugin.strategy === "pinned"
          ? "a session is reused by the next job, and opened again if it was lost"
          : "each job has its own session, and none stays open",
      async run() {
        await finishes(run({ command: query }));
        const before = relay().connections();
        await finishes(run({ command: query }));
        if (plugin.strategy === "pinned") {
          assert.equal(relay().connections(), before, "the second job has opened a session");
          await lose();
          assert.ok(relay().connections() > before, "the lost session was used");
        } else {
          assert.ok(relay().connections() > before, "the session of another job was used");
          await relay().idle();
        }
      },
    },
    {
      name: "an error after the end of a job affects neither the process nor other jobs",
      async run() {
        const { pid } = service().child;
        await finishes(run({ command: query }));
        await lose();
        assert.equal(service().child.exitCode, null, `the process ${pid} has ended`);
        assert.equal((await service().call("GET", "/health")).status, 200);
        assert.doesNotMatch(service().output(), /"threw late|threw after its job/);
      },
    },
    {
      name: "no secret is returned or stored",
      async run() {
        if (options.tellsSecret !== undefined) await finishes(run({ command: options.tellsSecret }));
        const listed = await service().call("GET", `/job?driver=${plugin.name}`);
        assertNoSecret("a job", JSON.stringify([answers, listed.body]), secrets);
        assertNoSecretKept(service(), secrets);
      },
    },
  ]);
}
