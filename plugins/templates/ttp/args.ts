/** Arguments of the TTP parser. */
import * as v from "valibot";

const name = v.pipe(v.string(), v.maxLength(500));

const selection = v.strictObject({
  /** Selects a built-in template, together with `command`, `get` or `yang`. */
  platform: v.optional(name),
  command: v.optional(v.pipe(v.string(), v.maxLength(5000))),
  /** A getter, which has one template per platform. */
  get: v.optional(name),
  /** A YANG module. */
  yang: v.optional(name),
  /** A path below `misc/` in the set. */
  misc: v.optional(name),
  /** A path in the set, with or without `ttp://`. */
  path: v.optional(name),
});

const values = v.record(v.string(), v.unknown());

export const ttpArgs = v.strictObject({
  ...selection.entries,
  ttp_template_args: v.optional(selection),
  /** TTP's result structures; by default one flat list of all result items. */
  structure: v.optional(v.picklist(["list", "dictionary", "flat_list"])),
  /** Template variables. */
  vars: v.optional(values),
  /** Lookup tables by name. */
  lookups: v.optional(values),
  /** Additional text for the template's inputs, by name. */
  inputs: v.optional(
    v.array(
      v.strictObject({
        text: v.string(),
        name: v.optional(name),
        template: v.optional(name),
        groups: v.optional(v.array(name)),
      }),
    ),
  ),
  /** Input and template for this text; all templates by default. */
  input: v.optional(name),
  template_name: v.optional(name),
  /** Templates whose results to return. */
  templates: v.optional(v.array(name)),
  /** Attributes of an output for the results, such as `format`. */
  output: v.optional(values),
  base_path: v.optional(name),
  /** Likely mistakes in the template are errors. */
  strict: v.optional(v.boolean()),
  dynamic_path_key_to_int: v.optional(v.boolean()),
});

export type TemplateSelection = v.InferOutput<typeof selection>;
export type TtpArgs = v.InferOutput<typeof ttpArgs>;
