/** What `patchbay version --json` tells of a program: an upgrade reads it from the new file before it takes it. */
import * as v from "valibot";

const identitySchema = v.object({
  name: v.literal("patchbay"),
  version: v.string(),
  api: v.string(),
  /** Steps of the database that it knows, in their order. */
  schema: v.array(v.string()),
  target: v.string(),
  runtime: v.string(),
  compiled: v.boolean(),
});
export type ProgramIdentity = v.InferOutput<typeof identitySchema>;

/** @returns undefined where the text is not that of a Patchbay. */
export function readIdentity(text: string): ProgramIdentity | undefined {
  try {
    const result = v.safeParse(identitySchema, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
