/** A context that reports nothing: for cleanup after a task, benchmarks and tests. */

import { silentLog } from "../base/log.ts";
import { neverAborted } from "../base/time/deadline.ts";
import type { Context } from "./kit/kit.ts";

/** @param changes override the defaults: no deadline, no log, and every report ignored. */
export function quietContext(changes: Partial<Context> = {}): Context {
  return {
    signal: neverAborted,
    remaining: () => Number.MAX_SAFE_INTEGER,
    log: silentLog,
    announce() {},
    output() {},
    progress() {},
    warn() {},
    ...changes,
  };
}
