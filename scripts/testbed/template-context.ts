/** What a template engine is given for one run, where no job is around it. */
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
