/** Render and parse as a request names them, and where their text comes from. */
import * as v from "valibot";

const name = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, "must be a plain name"));

/** `parsing` or `rendering` of a device operation. */
export const templateUse = v.looseObject({
  name,
  template: v.optional(v.string()),
  args: v.optional(v.record(v.string(), v.unknown())),
  /** What the engine warns of fails the job. */
  strict: v.optional(v.boolean()),
  use_ttp_template: v.optional(v.boolean()),
  ttp_template_args: v.optional(v.record(v.string(), v.unknown())),
  use_ntc_template: v.optional(v.boolean()),
  ntc_template_args: v.optional(v.record(v.string(), v.unknown())),
  /** Texts that the template may include, import or extend, by name. */
  templates: v.optional(v.record(v.string(), v.string())),
});
export type TemplateUse = v.InferOutput<typeof templateUse>;

export type TemplateSource =
  | { readonly kind: "inline"; readonly text: string }
  | { readonly kind: "http" | "ftp" | "file"; readonly uri: string }
  /** A template of an installed set, named by `args`. */
  | { readonly kind: "library" };

/** Recognised by prefix, in this order, whatever the case; anything else is the text itself. */
export function templateSource(template: string | undefined): TemplateSource {
  if (template === undefined || template === "") return { kind: "library" };
  if (/^https?:\/\//i.test(template)) return { kind: "http", uri: template };
  if (/^ftp:\/\//i.test(template)) return { kind: "ftp", uri: template };
  if (/^file:\/\//i.test(template)) return { kind: "file", uri: template };
  return { kind: "inline", text: template };
}
