/** The answer of GET /bulk/{name}/results, and the outputs of a job as one text. */
import * as v from "valibot";

const device = v.looseObject({ id: v.string(), device: v.optional(v.string()), host: v.string() });
const grouped = { count: v.number(), devices: v.array(device) };
export const resultGroups = v.looseObject({
  jobs: v.number(),
  without_result: v.number(),
  commands: v.array(v.string()),
  groups: v.array(
    v.looseObject({
      ...grouped,
      command: v.string(),
      sha256: v.string(),
      output: v.string(),
      cut: v.optional(v.boolean()),
    }),
  ),
  failures: v.array(v.looseObject({ ...grouped, error_type: v.string(), message: v.string() })),
  more_groups: v.number(),
  incomplete: v.optional(v.boolean()),
});
export type Grouped = Pick<v.InferOutput<typeof resultGroups>["groups"][number], "count" | "devices">;

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
