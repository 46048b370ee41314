/** Render and parse as a request names them, and where their text comes from. */
import * as v from "valibot";
import { laxBoolean } from "../base/lax.ts";
import { members, noList } from "../base/objects.ts";

const name = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, "must be a plain name"));

/** Clients that write out a model of theirs send null for all that is not set. */
const optional = <S extends v.GenericSchema>(schema: S) =>
  v.pipe(
    v.nullish(schema),
    v.transform((value) => value ?? undefined),
  );

/** Beside the name of an engine and its template, wherever one is used. */
export const templateFields = {
  args: optional(members),
  /** What the engine warns of is an error. */
  strict: optional(laxBoolean()),
  use_ttp_template: optional(laxBoolean()),
  ttp_template_args: optional(members),
  use_ntc_template: optional(laxBoolean()),
  ntc_template_args: optional(members),
  /** Texts that the template may include, import or extend, by name. */
  templates: optional(noList(v.record(v.string(), v.string()))),
};

/** `parsing` or `rendering` of a device operation. */
export const templateUse = v.looseObject({ name, template: optional(v.string()), ...templateFields });
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
