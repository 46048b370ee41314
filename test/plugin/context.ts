/** The context of a task with a deadline, as plugins get it. */
import { createDeadline } from "../../src/base/deadline.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Context } from "../../src/plugin/index.ts";

export function taskContext(changes: Partial<Context> = {}, ms = 30_000): Context {
  const { signal, remaining } = createDeadline(ms, () => new ServiceError("JobTimeout", "late"));
  return {
    signal,
    remaining,
    log: silentLog,
    announce() {},
    warn() {},
    output() {},
    progress() {},
    ...changes,
  };
}
