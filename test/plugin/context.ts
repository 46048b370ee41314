/** The context of a task with a deadline, as plugins get it. */

import { ServiceError } from "../../src/base/errors.ts";
import { createDeadline } from "../../src/base/time/deadline.ts";
import type { Context } from "../../src/plugin/index.ts";
import { quietContext } from "../../src/plugin/quiet-context.ts";

export function taskContext(changes: Partial<Context> = {}, ms = 30_000): Context {
  const { signal, remaining } = createDeadline(ms, () => new ServiceError("JobTimeout", "late"));
  return quietContext({ signal, remaining, ...changes });
}
