/** Identity of a program from `patchbay version --json`, which upgrades check before installing it. */
import * as v from "valibot";

const identitySchema = v.object({
  name: v.literal("patchbay"),
  version: v.string(),
  api: v.string(),
  /** Database migrations it knows, in order. */
  schema: v.array(v.string()),
  target: v.string(),
  runtime: v.string(),
  compiled: v.boolean(),
});
export type ProgramIdentity = v.InferOutput<typeof identitySchema>;

/** @returns undefined if the text is not from Patchbay. */
export function readIdentity(text: string): ProgramIdentity | undefined {
  try {
    const result = v.safeParse(identitySchema, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
