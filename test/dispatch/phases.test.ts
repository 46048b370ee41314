/**
 * P37: `outcome: "unknown"` for every error kind in every phase of a job: never if nothing was sent, always
 * if something may have been.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ErrorKind, jobErrorKinds, requestErrorKinds, ServiceError } from "../../src/base/errors.ts";
import type { AttemptFacts } from "../../src/dispatch/outcome.ts";
import { judgeFailure } from "../../src/dispatch/outcome.ts";
import type { RunOptions } from "../../src/pool/port.ts";
import type { Task } from "../../src/protocol/task.ts";
import { type FakePool, fakePool } from "../support/fake-pool.ts";
import { type Node, startNode } from "../support/node.ts";
import { configure, query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const kinds: readonly ErrorKind[] = [...jobErrorKinds, ...requestErrorKinds];
/** A response to the last line: its end was seen. */
const words: readonly ErrorKind[] = ["CommandError", "ParseError", "RenderError", "CheckFailed"];
const phases = ["fetch", "login", "enable", "line", "silent line", "parse"] as const;
type Phase = (typeof phases)[number];

const lines = ["interface Lo7", "description x"];

/** A driver's own report at the phase in which it fails. */
async function fail(phase: Phase, kind: ErrorKind, options: RunOptions): Promise<never> {
  const announce = () => options.answer?.({ about: "sending", lines });
  if (phase === "fetch" || phase === "login" || phase === "parse") throw new ServiceError(kind, phase);
  await announce();
  if (phase === "enable") throw new ServiceError(kind, phase, { outcome: "none" });
  if (phase === "line") throw new ServiceError(kind, phase, { outcome: "unknown", sent: lines.slice(0, 1) });
  throw new ServiceError(kind, phase);
}

/** Hosts are named `<phase>.<kind>`; a template is fetched from the host's name, and its text begins with it. */
function nameOf(task: Task): string {
  switch (task.kind) {
    case "fetch":
      return new URL(task.uri).hostname;
    case "parse":
      return new URL(task.source.replace("fetched ", "")).hostname;
    case "query":
    case "configure":
      return String(task.connection.host);
    default:
      return "";
  }
}

function failingPool(): FakePool {
  const inner = fakePool();
  return {
    ...inner,
    run: async <T extends Task>(task: T, options: RunOptions) => {
      const [name = "", word = ""] = nameOf(task).split(".");
      const phase = phases.find((known) => known.replace(" ", "-") === name);
      const kind = kinds.find((known) => known.toLowerCase() === word);
      const isOfPhase =
        phase === "fetch" || phase === "parse" ? task.kind === phase : task.kind === "configure";
      if (isOfPhase && phase && kind) return fail(phase, kind, options);
      return inner.run(task, options);
    },
  };
}

describe("each kind of error through a node", () => {
  const folder = temporary();
  let node: Node;
  let pool: FakePool;
  beforeAll(async () => {
    pool = failingPool();
    node = await startNode({ directory: folder.path, pool, loginGate: { failures: 0 } });
  });
  afterAll(async () => {
    await node.stop();
    folder.remove();
  });

  const hostOf = (phase: Phase, kind: ErrorKind) => `${phase.replace(" ", "-")}.${kind.toLowerCase()}`;

  test.each(phases)(
    'has outcome "unknown" only if something may have been sent: failing at %s',
    async (phase) => {
      const ended = await Promise.all(
        kinds.map(async (kind) => {
          const host = hostOf(phase, kind);
          const parsing = { parsing: { name: "textfsm", template: `http://${host}/x` } };
          const request =
            phase === "fetch" || phase === "parse" ? query(host, "show a", parsing) : configure(host, lines);
          // A job waits for missing local resources until its timeout.
          const options = kind === "ResourceExhausted" ? { options: { ttl: 2 } } : {};
          return { kind, record: await node.ended(await node.submit({ ...request, ...options })) };
        }),
      );
      for (const { kind, record } of ended) {
        expect(record.status, kind).toBe("failed");
        const error = record.result?.error;
        const doubt = phase === "line" || (phase === "silent line" && !words.includes(kind));
        expect(error?.outcome, `${kind} at ${phase}`).toBe(doubt ? "unknown" : undefined);
        if (doubt) expect(error?.sent).toEqual(phase === "line" ? lines.slice(0, 1) : lines);
        // Device output is kept if its template fails; a template that cannot be loaded is refused before the
        // device is contacted.
        if (phase === "parse") expect(record.result?.retval).toEqual({ "show a": `${record.host}: show a` });
        if (phase === "fetch") expect(pool.log.map(({ host }) => host)).not.toContain(record.host);
      }
    },
  );
});

const facts: AttemptFacts = {
  crashes: 3,
  lostAttempts: 0,
  retries: 0,
  intentRecorded: true,
  sent: lines,
  error: { kind: "ConnectionLost", message: "x" },
};

test.each(kinds)("the outcome of %s is unknown only if something may have been sent", (kind) => {
  const outcome = (more: Partial<AttemptFacts>, told?: "none" | "unknown") => {
    const detail = told === undefined ? {} : { detail: { outcome: told } };
    const verdict = judgeFailure({
      ...facts,
      error: { kind, message: "x", ...detail },
      stoppedBy: "cancel",
      ...more,
    });
    return verdict.kind === "failed" ? verdict.error.outcome : "requeue";
  };
  const unlessSeen = words.includes(kind) ? undefined : "unknown";
  expect(outcome({ intentRecorded: false, sent: [] })).toBeUndefined();
  expect(outcome({})).toBe(unlessSeen);
  expect(outcome({}, "none")).toBeUndefined();
  expect(outcome({}, "unknown")).toBe("unknown");
  expect(outcome({ answered: true })).toBeUndefined();
  // A previous lost attempt may have sent them; this attempt's result does not change that.
  expect(outcome({ lostAttempts: 1, intentRecorded: false })).toBe(unlessSeen);
  expect(outcome({ lostAttempts: 1, intentRecorded: false }, "none")).toBe(unlessSeen);
  expect(outcome({ lostAttempts: 1, answered: true })).toBeUndefined();
});
