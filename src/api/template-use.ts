/** Template use in requests, and template sources. */
import * as v from "valibot";
import { laxBoolean } from "../base/json/lax.ts";
import { members, noList } from "../base/json/objects.ts";

const name = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, "must be a plain name"));

/** Optional and nullable, because some clients send null for unset fields. */
const optional = <S extends v.GenericSchema>(schema: S) =>
  v.pipe(
    v.nullish(schema),
    v.transform((value) => value ?? undefined),
  );

/** Common fields besides engine and template. */
export const templateFields = {
  args: optional(members),
  /** Treats warnings as errors. */
  strict: optional(laxBoolean()),
  use_ttp_template: optional(laxBoolean()),
  ttp_template_args: optional(members),
  use_ntc_template: optional(laxBoolean()),
  ntc_template_args: optional(members),
  /** Templates by name, for include, import and extend. */
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

/** Detected by prefix, case-insensitively; anything else is inline text. */
export function templateSource(template: string | undefined): TemplateSource {
  if (template === undefined || template === "") return { kind: "library" };
  if (/^https?:\/\//i.test(template)) return { kind: "http", uri: template };
  if (/^ftp:\/\//i.test(template)) return { kind: "ftp", uri: template };
  if (/^file:\/\//i.test(template)) return { kind: "file", uri: template };
  return { kind: "inline", text: template };
}
