/** Template use in requests, and template sources. */
import * as v from "valibot";
import { laxBoolean } from "../../base/json/lax.ts";
import { members, noList } from "../../base/json/objects.ts";
import { described } from "../schema.ts";

export const engineName = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, "must be a plain name"));

/** Optional and nullable, because some clients send null for unset fields. */
const optional = <S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(
    v.nullish(described(schema, description)),
    v.transform((value) => value ?? undefined),
  );

/** Common fields besides engine and template. */
export const templateFields = {
  args: optional(members, "Arguments of the engine"),
  strict: optional(laxBoolean(), "Treat likely mistakes of the template as errors"),
  use_ttp_template: optional(laxBoolean(), "A built-in template, named by `ttp_template_args`"),
  ttp_template_args: optional(members, "`platform` and `command`"),
  use_ntc_template: optional(
    laxBoolean(),
    "A template of the ntc-templates set, named by `ntc_template_args`",
  ),
  ntc_template_args: optional(members, "`platform` and `command`"),
  templates: optional(
    noList(v.record(v.string(), v.string())),
    "Further templates by name, to include, import or extend",
  ),
};

export const templateWord =
  "The template text, its location as `file://`, `http(s)://` or `ftp://`, or a stored one as `template://name` or `template://name/version`";

/** `parsing` or `rendering` of a device operation. */
export const templateUse = v.looseObject({
  name: described(engineName, "Name of the engine"),
  template: optional(v.string(), templateWord),
  ...templateFields,
});
export type TemplateUse = v.InferOutput<typeof templateUse>;

export type TemplateSource =
  | { readonly kind: "inline"; readonly text: string }
  | { readonly kind: "http" | "ftp" | "file"; readonly uri: string }
  /** A template that is stored here. Without a name it names none. */
  | { readonly kind: "stored"; readonly name?: string; readonly version?: number }
  /** A template of an installed set, named by `args`. */
  | { readonly kind: "library" };

const storedName = /^template:\/\/([A-Za-z0-9][\w.-]{0,63})(?:\/(\d{1,9}))?$/i;

/**
 * Detected by prefix, case-insensitively; anything else is inline text. A bare name is a text: it has always been one. A
 * text of several lines is no name, however it begins.
 */
export function templateSource(template: string | undefined): TemplateSource {
  if (template === undefined || template === "") return { kind: "library" };
  if (/^https?:\/\//i.test(template)) return { kind: "http", uri: template };
  if (/^ftp:\/\//i.test(template)) return { kind: "ftp", uri: template };
  if (/^file:\/\//i.test(template)) return { kind: "file", uri: template };
  if (/^template:\/\//i.test(template) && !/[\r\n]/.test(template.trimEnd())) {
    const [, name, version] = storedName.exec(template.trimEnd()) ?? [];
    return { kind: "stored", name, ...(version === undefined ? {} : { version: Number(version) }) };
  }
  return { kind: "inline", text: template };
}
