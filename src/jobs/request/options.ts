/** Parses `options` of a request; newer clients write some of them at the top level. */

import { type ExecuteRequest, flatOptionNames, type OperationOptions } from "../../api/jobs/request.ts";
import { isGiven } from "../../base/json/members.ts";

const flat = ["parsing", "rendering", ...flatOptionNames] as const;

export type FlatOption = (typeof flat)[number];

export interface SettledOptions {
  readonly options: Partial<OperationOptions>;
  /** The path of an option: `webhook` or `options.webhook`. */
  pathOf(option: FlatOption): string;
  readonly warnings: string[];
}

/** Top-level options win. */
export function settleOptions(
  request: Pick<ExecuteRequest, FlatOption> & { readonly options?: ExecuteRequest["options"] },
): SettledOptions {
  const beside = flat.filter((name) => isGiven(request[name]));
  const options: Partial<OperationOptions> = {
    ...request.options,
    ...Object.fromEntries(beside.map((name) => [name, request[name]])),
  };
  const { ttl, execution_timeout: timeout } = options;
  const hasConflict = isGiven(ttl) && isGiven(timeout) && ttl !== timeout;
  return {
    options: isGiven(ttl) || !isGiven(timeout) ? options : { ...options, ttl: timeout },
    pathOf: (option) => (beside.includes(option) || !isGiven(options[option]) ? option : `options.${option}`),
    warnings: hasConflict ? ["execution_timeout is an alias of ttl here; ttl was used"] : [],
  };
}
