/** Encodes and decodes text; bytes are strings of characters below 256. */

import { PyError } from "../errors.ts";
import { escapedChar } from "./codepoints.ts";

/** Aliases without punctuation. */
const ALIASES: ReadonlyMap<string, Encoding> = new Map([
  ["u8", "utf8"],
  ["usascii", "ascii"],
  ["l1", "latin1"],
  ["iso88591", "latin1"],
  ["iso8859", "latin1"],
]);

type Encoding = "utf8" | "ascii" | "latin1" | "utf16le" | "utf16be" | "utf16";

/** Encoding names as Python's errors show them. */
const NAMES: Readonly<Record<Encoding, string>> = {
  utf8: "utf-8",
  ascii: "ascii",
  latin1: "latin-1",
  utf16le: "utf-16-le",
  utf16be: "utf-16-be",
  utf16: "utf-16",
};

const isEncoding = (name: string): name is Encoding => Object.hasOwn(NAMES, name);

function encodingOf(name: string): Encoding {
  const plain = name.toLowerCase().replace(/[-_ ]/g, "");
  const canonical = ALIASES.get(plain) ?? plain;
  if (isEncoding(canonical)) return canonical;
  throw new PyError("LookupError", `unknown encoding: ${name}`);
}

/** @param errors how to handle a character that the encoding lacks */
export function encode(text: string, name: string, errors: string): string {
  const encoding = encodingOf(name);
  if (encoding === "ascii" || encoding === "latin1") {
    const maxCode = encoding === "ascii" ? 0x7f : 0xff;
    return text.replace(/[^\0-\x7f]/gu, (char, at: number) => {
      const code = char.codePointAt(0) ?? 0;
      return code <= maxCode ? char : instead(char, errors, `'${NAMES[encoding]}' codec`, at, maxCode);
    });
  }
  if (encoding === "utf8") {
    const replaced = text.replace(/\p{Surrogate}/gu, (char, at: number) =>
      instead(char, errors, "'utf-8' codec", at, 0x7f),
    );
    return Buffer.from(replaced, "utf8").toString("latin1");
  }
  const bytes = Buffer.from(encoding === "utf16" ? `\ufeff${text}` : text, "utf16le");
  return (encoding === "utf16be" ? bytes.swap16() : bytes).toString("latin1");
}

function instead(char: string, errors: string, codec: string, at: number, maxCode: number): string {
  switch (errors) {
    case "ignore":
      return "";
    case "replace":
      return "?";
    case "xmlcharrefreplace":
      return `&#${char.codePointAt(0)};`;
    case "backslashreplace":
      return escapedChar(char);
    case "strict":
      throw new PyError(
        "UnicodeEncodeError",
        `${codec} can't encode character '${escapedChar(char)}' in position ${at}: ordinal not in range(${maxCode + 1})`,
      );
  }
  throw new PyError("LookupError", `unknown error handler name '${errors}' (for '${char}')`);
}

export function decode(bytes: string, name: string, errors: string): string {
  const encoding = encodingOf(name);
  if (!["strict", "ignore", "replace", "backslashreplace"].includes(errors))
    throw new PyError("LookupError", `unknown error handler name '${errors}'`);
  if (encoding === "latin1") return bytes;
  if (encoding === "ascii")
    return bytes.replace(/[\x80-\xff]/g, (char) => undecodable(char, encoding, errors));
  if (encoding !== "utf8") {
    const big = encoding === "utf16be" || (encoding === "utf16" && bytes.startsWith("\xfe\xff"));
    const body = encoding === "utf16" ? bytes.replace(/^(?:\xff\xfe|\xfe\xff)/, "") : bytes;
    if (body.length % 2 === 1) undecodable(body.at(-1) ?? "", encoding, "strict");
    const buffer = Buffer.from(body, "latin1");
    return (big ? buffer.swap16() : buffer).toString("utf16le");
  }
  return bytes.replace(/[\x80-\xff]+/g, (run) => utf8Run(run, errors));
}

const UTF8 =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\s\S]/g;

function utf8Run(run: string, errors: string): string {
  return run.replace(UTF8, (part) =>
    part.length === 1 ? undecodable(part, "utf8", errors) : Buffer.from(part, "latin1").toString("utf8"),
  );
}

function undecodable(byte: string, encoding: Encoding, errors: string): string {
  if (errors === "ignore") return "";
  if (errors === "replace") return "\ufffd";
  if (errors === "backslashreplace") return escapedChar(byte);
  const hex = escapedChar(byte).slice(1);
  throw new PyError("UnicodeDecodeError", `'${NAMES[encoding]}' codec can't decode byte 0${hex}`);
}
