/** Settings of the credential source `command`. */
import * as v from "valibot";

export const settings = v.object({
  /** Absolute path; if absent, the source is disabled. */
  program: v.optional(v.pipe(v.string(), v.regex(/^\/.+/, "must be an absolute path"))),
  /** Arguments before the reference. */
  args: v.optional(v.array(v.string()), []),
  /** Seconds. */
  timeout: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(60)), 10),
});
export type Settings = v.InferOutput<typeof settings>;
