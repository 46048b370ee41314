/** Arguments of the TextFSM parser. */
import * as v from "valibot";

const name = v.pipe(v.string(), v.maxLength(500));

export const textFsmArgs = v.strictObject({
  /** False: do not record the remaining row at the end of text, as for part of a longer output. */
  eof: v.optional(v.boolean()),
  /** Likely mistakes in the template are errors. */
  strict: v.optional(v.boolean()),
  /** Selects templates by the platform names of the set ... */
  platform: v.optional(name),
  /** ... or by a driver's device type, which maps to them. */
  device_type: v.optional(name),
  command: v.optional(v.pipe(v.string(), v.maxLength(5000))),
});

export type TextFsmArgs = v.InferOutput<typeof textFsmArgs>;
