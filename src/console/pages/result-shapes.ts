/** The answer of GET /bulk/{name}/results, and the outputs of a job as one text. */
import * as v from "valibot";
import { resultGroups as groups, type OutputGroup } from "../../api/result-groups.ts";
import { reader } from "../../api/schema.ts";

export const resultGroups = reader(groups);
export type Grouped = Pick<OutputGroup, "count" | "devices">;

const outputs = v.record(v.string(), v.unknown());

/** @param command only of this one; undefined: there is no output */
export function outputsOf(retval: unknown, command: string): string | undefined {
  const read = v.safeParse(outputs, retval);
  if (!read.success) return undefined;
  const wanted = Object.entries(read.output).filter(([name]) => command === "" || name === command);
  return wanted
    .map(([name, output]) => {
      const plain = typeof output === "string" ? output.trimEnd() : JSON.stringify(output, null, 2);
      return wanted.length > 1 ? `# ${name}\n${plain}` : plain;
    })
    .join("\n\n");
}
