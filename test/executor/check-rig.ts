/** Runs pushes with checks on a fake device, through a worker's handlers. */

import { expect } from "vitest";
import type { StoredChecks } from "../../src/api/jobs/checks.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDeadline } from "../../src/base/time/deadline.ts";
import { createHandlers } from "../../src/executor/handlers.ts";
import { createMasking } from "../../src/executor/masking.ts";
import type { Context, UndoWay } from "../../src/plugin/index.ts";
import { quietContext } from "../../src/plugin/quiet-context.ts";
import type { TaskQuestion } from "../../src/protocol/message-port.ts";
import type { ConfigureTask, OutputsValue } from "../../src/protocol/task.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { checksDouble } from "./checks-double.ts";
import { plainSettings } from "./fixtures.ts";

/** Passes while the fake device shows it. */
export const up = { command: "show bgp", contains: "Established" };

export function createRig(how: UndoWay | undefined = "rollback") {
  const deadline = createDeadline(60_000, () => new ServiceError("JobTimeout", "late"));
  const rig = {
    deadline,
    asked: [] as TaskQuestion[],
    announced: [] as string[],
    /** The main thread's answer. */
    answer: async (_question: TaskQuestion): Promise<unknown> => undefined,
    ...deviceOf(how),
    /** Replaces the device. */
    use: (other: UndoWay | undefined) => void Object.assign(rig, deviceOf(other)),
    /** Operations on the device. */
    done: () => rig.device.log.filter((line) => /^(configure|change|confirm|undo)/.test(line)),
    /** The push breaks what `up` checks. */
    breaks() {
      const { shows, faults } = rig.device;
      shows.set("show bgp", "Established");
      for (const push of ["change", "configure"]) faults.set(push, () => shows.set("show bgp", "Idle"));
    },
    phases: () => rig.asked.flatMap((question) => (question.about === "checks" ? question.note.phase : [])),
    async push(checks: Partial<StoredChecks>): Promise<OutputsValue> {
      const all: StoredChecks = { before: [], after: [], settleMs: 0, onFailure: "undo", ...checks };
      const ask = (question: TaskQuestion) => {
        rig.asked.push(question);
        return rig.answer(question);
      };
      // A configuration returns outputs.
      return (await rig.handlers.run(taskWith(all), context(), undefined, ask)) as OutputsValue;
    },
  };

  function context(): Context {
    return quietContext({
      signal: deadline.signal,
      remaining: deadline.remaining,
      announce(lines) {
        rig.device.log.push("announced");
        rig.announced.push(...lines);
      },
    });
  }
  return rig;
}

function deviceOf(how: UndoWay | undefined) {
  const device = checksDouble(how);
  const registry = createRegistry();
  registry.add(device.plugin, "builtin");
  const handlers = createHandlers({
    settings: plainSettings,
    registry,
    log: silentLog,
    masking: createMasking(),
    ask: async () => undefined,
    onSession() {},
  });
  return { device, handlers };
}

function taskWith(checks: StoredChecks): ConfigureTask {
  return {
    kind: "configure",
    driver: "double",
    connection: { host: "r1", password: "canary-pass" },
    args: {},
    reach: [],
    keep: false,
    lines: ["no neighbor", "exit"],
    checks,
  };
}

export const failure = (run: Promise<unknown>): Promise<ServiceError> =>
  run.then(
    () => expect.unreachable(),
    (error) => error,
  );
export const reportOf = (error: ServiceError) => error.detail?.checks;
