/** Stored credentials: schemas of requests and records, and patterns of keys. */
import * as v from "valibot";
import { writer } from "../jobs/job.ts";
import { described, moment, named, text, texts, type Unchanged } from "../schema.ts";

/** The built-in source. */
export const ownSource = "file";

export const credentialLimits = {
  /** Maximum number stored. */
  most: 10_000,
  maxBytes: 64 * 1024 * 1024,
  /** Maximum fields of each. */
  fields: 20,
  valueChars: 32 * 1024,
} as const;

const maxPatterns = 1_000;

const credentialRef = v.pipe(
  v.string("must be a string"),
  v.regex(
    /^[A-Za-z0-9][\w.@-]{0,127}$/,
    "must be up to 128 letters, digits, `.`, `_`, `@` and `-`, such as lab",
  ),
);
const credentialSource = v.pipe(
  v.string("must be a string"),
  v.regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "must be the name of a credential source"),
);

/** Targets are set by the request, never by a credential. */
const notFields = ["host", "hostname", "port", "credential"];
const fieldName = v.pipe(
  v.string(),
  v.regex(/^[a-z][a-z0-9_]{0,63}$/, "must be the name of a field, such as password"),
  v.check((name) => !notFields.includes(name), "is set by the request, not by a credential"),
);
const fieldValue = v.pipe(
  v.string("must be a string"),
  v.nonEmpty("must not be empty"),
  v.maxLength(credentialLimits.valueChars, `must have at most ${credentialLimits.valueChars} characters`),
  v.check((text) => !text.includes("\0"), "must not hold a NUL character"),
);

/** Body of PUT /credential/{ref}: field of a connection -> its value. */
export const newCredential = v.pipe(
  v.record(fieldName, fieldValue, 'must be an object of strings, such as {"username": …, "password": …}'),
  v.check((fields) => Object.keys(fields).length > 0, "must name at least one field"),
  v.check(
    (fields) => Object.keys(fields).length <= credentialLimits.fields,
    `must name at most ${credentialLimits.fields} fields`,
  ),
);

/** As in GET /credential, without values. */
export const credentialRecord = named(
  "KeptCredential",
  v.object({
    source: text,
    ref: text,
    fields: described(texts, "Names of its fields"),
    created_at: moment,
    changed_at: moment,
    submitted_by: writer,
    last_used_at: v.nullable(moment),
  }),
);
export type CredentialRecord = Unchanged<v.InferOutput<typeof credentialRecord>>;

export const credentialName = named(
  "CredentialName",
  v.pick(v.object(credentialRecord.entries), ["source", "ref"]),
);

/** `lab-*` matches stored credentials; `*` alone matches all of all sources. */
const credentialPattern = v.pipe(
  v.string("must be a string"),
  v.regex(
    /^[^\s,!\0-\x1f\x7f]{1,300}$/,
    "must be <source>:<ref>, where `*` stands for any text: no blanks, commas and `!`",
  ),
  v.transform((text) => (text === "*" ? "*:*" : text.includes(":") ? text : `${ownSource}:${text}`)),
);

export const credentialPatterns = v.pipe(
  v.array(credentialPattern, "must be a list"),
  v.maxLength(maxPatterns, `has more than ${maxPatterns} entries`),
);

export interface CredentialProblem {
  readonly field: string | undefined;
  readonly message: string;
}

/** Parses the input of a command. @returns the credential or the first error */
export function readNewCredential(
  value: unknown,
): { readonly fields: Record<string, string> } | CredentialProblem {
  const read = v.safeParse(newCredential, value);
  if (read.success) return { fields: read.output };
  const [{ path, message }] = read.issues;
  const field = path?.[0]?.key;
  return { field: field === undefined ? undefined : String(field), message };
}

/** @returns the error in the name; undefined if it is valid. */
export function nameProblem(what: "ref" | "source", text: string): string | undefined {
  return v.safeParse(what === "ref" ? credentialRef : credentialSource, text).issues?.[0].message;
}
