/** Intents and drift of the service: loaded when somebody asks, or a device is to be compared. */

import type { Caller } from "../../auth/port.ts";
import type { PartsOptions } from "../../intent/parts.ts";
import type { Drift, DriftNews, Fixes, Intents, Parts } from "../../intent/port.ts";
import { createDriftRunner, type RunnerOptions } from "../../intent/runner.ts";

export function assembleDrift({
  log,
  isReady,
  onCompared,
  onGarbage,
  ...options
}: Omit<PartsOptions, "runner"> &
  Pick<RunnerOptions, "store" | "log" | "isReady" | "onCompared" | "onGarbage">) {
  const runner = createDriftRunner({
    ...{ store: options.store, log, isReady, onCompared, onGarbage, freshMs: options.freshMs },
    judge: async (due) => (await parts()).judge(due),
  });
  let made: Promise<Parts> | undefined;
  const parts = () => {
    made ??= import("../../intent/parts.ts").then(({ createParts }) => createParts({ ...options, runner }));
    return made;
  };
  const drift: Drift = {
    run: async (...of) => (await parts()).drift.run(...of),
    summary: async (...of) => (await parts()).drift.summary(...of),
    page: async (...of) => (await parts()).drift.page(...of),
    draft: async (...of) => (await parts()).drift.draft(...of),
    device: async (...of) => (await parts()).drift.device(...of),
    lines: async (...of) => (await parts()).drift.lines(...of),
  };
  const intents: Intents = {
    list: async (...of) => (await parts()).intents.list(...of),
    read: async (...of) => (await parts()).intents.read(...of),
    put: async (...of) => (await parts()).intents.put(...of),
    remove: async (...of) => (await parts()).intents.remove(...of),
  };
  const fixes: Fixes = {
    fixOf: async (...of) => (await parts()).fixes.fixOf(...of),
    planned: async (...of) => (await parts()).fixes.planned(...of),
  };
  async function compareSoon(body: unknown, by: Caller): Promise<string> {
    const { waiting } = await drift.run(body, by);
    return `${waiting} devices are to be compared`;
  }
  const driftNews: DriftNews = async (pairs) => (await parts()).news(pairs);
  return { driftRunner: runner, fixes, driftNews, drift, intents, compareSoon };
}
