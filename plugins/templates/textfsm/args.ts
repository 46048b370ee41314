/** Arguments of a parse with TextFSM. */
import * as v from "valibot";

const name = v.pipe(v.string(), v.maxLength(500));

export const textFsmArgs = v.strictObject({
  /** False: the end of the text does not record what is left, as for a part of a longer output. */
  eof: v.optional(v.boolean()),
  /** What looks like a mistake of the template is an error. */
  strict: v.optional(v.boolean()),
  /** Selects templates of the set by the set's own platform names ... */
  platform: v.optional(name),
  /** ... or by the device type of a driver, which is mapped to them. */
  device_type: v.optional(name),
  command: v.optional(v.pipe(v.string(), v.maxLength(5000))),
});

export type TextFsmArgs = v.InferOutput<typeof textFsmArgs>;
