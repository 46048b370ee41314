/** A template engine's context for a run without a job. */
import { neverAborted } from "../../src/base/deadline.ts";
import { silentLog } from "../../src/base/log.ts";

export const templateContext = {
  signal: neverAborted,
  remaining: () => 60_000,
  log: silentLog,
  announce: () => undefined,
  warn: () => undefined,
  output: () => undefined,
  progress: () => undefined,
};
