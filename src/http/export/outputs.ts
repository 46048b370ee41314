/** Outputs of a job as texts; its result is stored as JSON text. */
import * as v from "valibot";
import type { ListedJob } from "../../api/jobs/job.ts";
import { RawJson } from "../../base/json/json.ts";

export interface JobOutputs {
  readonly outputs: readonly {
    readonly command: string;
    readonly text: string;
    /** It was a structure: `text` is its JSON. */
    readonly parsed: boolean;
  }[];
  readonly error: { readonly type: string; readonly message: string } | undefined;
}

const storedResult = v.object({
  retval: v.nullish(v.record(v.string(), v.unknown())),
  error: v.nullish(v.object({ type: v.string(), message: v.string() })),
});

export function outputsOf({ result }: Pick<ListedJob, "result">): JobOutputs {
  if (result === null) return { outputs: [], error: undefined };
  const { retval, error } = v.parse(
    storedResult,
    result instanceof RawJson ? JSON.parse(result.text) : result,
  );
  const outputs = Object.entries(retval ?? {}).map(([command, output]) => ({
    command,
    text: textOf(output),
    parsed: typeof output !== "string",
  }));
  return { outputs, error: error ?? undefined };
}

/** Parsed records are returned as JSON. */
function textOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output, null, 2);
}
