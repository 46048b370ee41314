/** Value types shared by arguments of several drivers. */

import { emptyAsAbsent, laxBoolean, laxNumber, secret } from "patchbay/plugin";
import * as v from "valibot";

const controls = /[\x00-\x1f\x7f]/;
const wellFormed = (text: string) => !/[\ud800-\udfff]/u.test(text);

/** A single line to type or send: a line end in it would start another command. */
export const line = v.pipe(
  v.string("must be a string"),
  v.check((text) => !controls.test(text), "must not contain control characters"),
  v.check(wellFormed, "must be valid Unicode"),
);
export const name = v.pipe(line, v.nonEmpty("must not be empty"), v.maxLength(256, "is too long"));
export const secretLine = secret(v.pipe(line, v.maxLength(1024, "is too long")));
/** A private key, several lines. */
export const secretText = secret(v.pipe(v.string("must be a string"), v.maxLength(65_536, "is too long")));
/** The line of a `…-cert.pub` file; not secret. */
export const certificateLine = v.pipe(
  v.string("must be a string"),
  v.maxLength(65_536, "is too long"),
  v.regex(/^\s*[a-z0-9@.-]+ +[A-Za-z0-9+/=]+( [^\r\n]*)?\s*$/, "must be the line of an OpenSSH certificate"),
);
export const path = v.pipe(
  v.string("must be a string"),
  v.nonEmpty("must not be empty"),
  v.maxLength(4096, "is too long"),
  v.check((text) => !controls.test(text), "must not contain control characters"),
);
export const flag = laxBoolean("must be true or false");
/** A strict boolean for unions, in which 1 or `on` have another meaning. */
export const exactFlag = v.boolean("must be true or false");
/** A host name or address, resolved by the SSH layer. */
export const host = v.pipe(
  v.string("must be a string"),
  v.transform((text) => text.trim()),
  v.regex(
    /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?\.?|\[?[0-9A-Fa-f:.]+(?:%[\w.-]+)?\]?)$/,
    "must be a host name or an address",
  ),
);
const portNumber = v.pipe(
  v.number(),
  v.integer("must be a port number"),
  v.minValue(1, "must be from 1 to 65535"),
  v.maxValue(65_535, "must be from 1 to 65535"),
);
const portDigits = v.pipe(
  v.string(),
  v.regex(/^\d{1,5}$/, "must be a port number"),
  v.transform(Number),
  portNumber,
);
/** netmiko accepts `"22"` too. */
export const port = v.union([portNumber, portDigits], "must be a port number");
export const seconds = v.pipe(
  laxNumber("must be a number of seconds"),
  v.finite("must be a number of seconds"),
  v.minValue(0, "must not be negative"),
  v.maxValue(86_400, "must not be more than a day"),
);
/** A timeout must be positive: 0 would disable it. */
export const positiveSeconds = v.pipe(seconds, v.gtValue(0, "must be more than 0"));
export const factor = v.pipe(
  laxNumber("must be a number"),
  v.gtValue(0, "must be more than 0"),
  v.maxValue(100, "must not be more than 100"),
);

/** For fields that callers of the Python libraries send. */
export const noMeaning = "Accepted and ignored";

interface More {
  /** The value used if the field is absent. */
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/**
 * Absent and null both select the default.
 * @param meaning text for the driver's page and the API description
 */
export function optional<Schema extends v.GenericSchema>(schema: Schema, meaning?: string, more: More = {}) {
  return explained(v.nullish(schema), meaning, more);
}

/** Like `optional`, but an empty text means null too. Not for passwords, which may be empty. */
export function optionalText<Schema extends v.GenericSchema>(
  schema: Schema,
  meaning?: string,
  more: More = {},
) {
  return explained(emptyAsAbsent(schema), meaning, more);
}

function explained<Schema extends v.GenericSchema>(
  schema: v.NullishSchema<Schema, undefined>,
  meaning: string | undefined,
  more: More,
) {
  return v.pipe(
    schema,
    v.metadata({ ...(meaning === undefined ? {} : { description: meaning }), ...more }),
    v.transform((value) => value ?? undefined),
  );
}
