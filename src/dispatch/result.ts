/** Builds results as JSON: outputs keyed by command, in order; oversized ones are cut. */

import type { CheckReport } from "../api/jobs/checks.ts";
import type { JobFailure } from "../api/jobs/job.ts";
import { withChecks } from "../checks/report.ts";

/** An output, or its parsed form as JSON text. */
export interface Output {
  readonly command: string;
  readonly output?: unknown;
  readonly json?: string;
  /** Set if this output is an error; others are unaffected. */
  readonly failed?: true;
}

export interface ResultLimits {
  readonly maxBytes: number;
}

export const defaultResultLimits: ResultLimits = { maxBytes: 32 * 1024 * 1024 };

const keptHead = 1024 * 1024;
const keptTail = 64 * 1024;

/** A repeated command gets the key `<command> #2`. */
export function retvalJson(outputs: readonly Output[]): string {
  const counts = new Map<string, number>();
  const used = new Set<string>();
  const members = outputs.map(({ command, output, json }) => {
    let count = (counts.get(command) ?? 0) + 1;
    let key = count === 1 ? command : `${command} #${count}`;
    // Avoids collisions with a command that is literally `show clock #2`.
    while (used.has(key)) key = `${command} #${++count}`;
    counts.set(command, count);
    used.add(key);
    return `${JSON.stringify(key)}:${json ?? JSON.stringify(output ?? null)}`;
  });
  return `{${members.join(",")}}`;
}

export function successJson(
  outputs: readonly Output[],
  limits: ResultLimits = defaultResultLimits,
  checks?: CheckReport,
  compared?: boolean,
): {
  json: string;
  tooLarge: boolean;
} {
  const retval = retvalJson(outputs);
  if (retval.length <= limits.maxBytes) {
    const partial = outputs.some(({ failed }) => failed === true) ? ',"partial":true' : "";
    const dryRun = compared === undefined ? "" : `,"compared":${compared}`;
    const json = `{"type":"success","retval":${retval},"error":null${partial}${dryRun}}`;
    return { json: withChecks(json, checks), tooLarge: false };
  }
  const maxMib = Math.round(limits.maxBytes / 1024 / 1024);
  const error: JobFailure = {
    type: "OutputTooLarge",
    message: `The outputs of the job are larger than ${maxMib} MiB in total; each is truncated to its beginning and end.`,
  };
  return { json: failureJson(error, outputs.map(cut), checks), tooLarge: true };
}

export function failureJson(
  error: JobFailure,
  outputs: readonly Output[] | undefined,
  checks?: CheckReport,
): string {
  const retval = outputs === undefined || outputs.length === 0 ? "null" : retvalJson(outputs);
  return withChecks(`{"type":"failed","retval":${retval},"error":${JSON.stringify(error)}}`, checks);
}

function cut({ command, output, json }: Output): Output {
  const text = typeof output === "string" ? output : (json ?? JSON.stringify(output) ?? "");
  if (text.length <= keptHead + keptTail) return { command, output: text };
  return { command, output: `${text.slice(0, keptHead)}\n[…]\n${text.slice(-keptTail)}` };
}

/** Partial outputs of a failed driver. */
export function partialOutputs(partial: unknown): Output[] | undefined {
  if (!Array.isArray(partial)) return undefined;
  return partial.flatMap((output: unknown) =>
    typeof output === "object" && output !== null && "command" in output && typeof output.command === "string"
      ? [{ command: output.command, output: "output" in output ? output.output : null }]
      : [],
  );
}
