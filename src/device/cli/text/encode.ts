/** Encodes typed text for a device's character set; what the set lacks is refused before anything is sent. */
import { ServiceError } from "../../../base/errors.ts";
import { textDecoder } from "./decode.ts";

/** @throws ServiceError CommandError that names the character the set lacks */
export type Encoder = (text: string) => string | Uint8Array;

const utf8 = /^(?:unicode-?1-1-?)?utf-?8$/i;
const ascii = /^[\x00-\x7f]*$/;
/**
 * The runtime reads both as windows-1252. Writing is strict: a device that knows Latin-1 only would store a euro sign
 * as a control character.
 */
const narrow: readonly { readonly label: RegExp; readonly last: number }[] = [
  { label: /^(?:us-?)?ascii$|^ansi_x3\.4-1968$/i, last: 0x7f },
  { label: /^(?:latin-?1|l1|iso[-_]?8859-?1|cp819|ibm819)$/i, last: 0xff },
];

/** Tables take up to 50 ms to build: they are built for the first character outside ASCII, and once per set. */
const tables = new Map<string, Table>();

type Table = (char: string) => readonly number[] | undefined;

export function createEncoder(encoding = "utf-8"): Encoder {
  if (utf8.test(encoding)) return encodeUtf8;
  const wide = /^utf-?16/i.test(encoding);
  return (text) => (ascii.test(text) && !wide ? text : encodeWith(tableOf(encoding), text, encoding));
}

/** Half of a surrogate pair would be sent as a replacement character. */
function encodeUtf8(text: string): string {
  const lone = ascii.test(text) ? null : /[\ud800-\udfff]/u.exec(text);
  if (lone !== null) throw lacking(lone[0], "utf-8");
  return text;
}

function encodeWith(table: Table, text: string, encoding: string): Uint8Array {
  const bytes: number[] = [];
  for (const char of text) {
    const encoded = table(char);
    if (encoded === undefined) throw lacking(char, encoding);
    bytes.push(...encoded);
  }
  return Uint8Array.from(bytes);
}

function lacking(char: string, encoding: string): ServiceError {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return new ServiceError(
    "CommandError",
    `The character ${JSON.stringify(char)} (U+${code}) does not exist in ${encoding}, the character set of this device: replace it, or correct connection_args.encoding. It was not sent.`,
  );
}

function tableOf(encoding: string): Table {
  const label = encoding.toLowerCase();
  const existing = tables.get(label);
  if (existing !== undefined) return existing;
  const table = buildTable(label);
  tables.set(label, table);
  return table;
}

function buildTable(label: string): Table {
  const limit = narrow.find((set) => set.label.test(label))?.last;
  if (limit !== undefined) {
    return (char) => ((char.codePointAt(0) ?? 0) <= limit ? [char.charCodeAt(0)] : undefined);
  }
  const { encoding } = textDecoder(label);
  if (encoding === "utf-16le" || encoding === "utf-16be") {
    return (char) => {
      const bytes = Buffer.from(char, "utf16le");
      return [...(encoding === "utf-16be" ? bytes.swap16() : bytes)];
    };
  }
  if (encoding === "iso-2022-jp") return shifted(reversed("euc-jp"));
  if (encoding === "gb18030") return withLongForms(reversed(encoding));
  const map = reversed(encoding);
  return (char) => map.get(char);
}

/** All sequences of one and two bytes, by the character they decode to; among several the first one counts. */
function reversed(label: string): Map<string, readonly number[]> {
  const decoder = textDecoder(label);
  const map = new Map<string, readonly number[]>();
  const add = (bytes: readonly number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== "\ufffd" && !map.has(text)) map.set(text, bytes);
  };
  for (let byte = 0; byte < 0x100; byte++) add([byte]);
  for (let lead = 0x80; lead < 0x100; lead++) {
    if (map.get(decoder.decode(Uint8Array.of(lead)))?.[0] === lead) continue;
    for (let trail = 0x40; trail < 0x100; trail++) add([lead, trail]);
  }
  return map;
}

const shiftIn = [0x1b, 0x24, 0x42];
const shiftOut = [0x1b, 0x28, 0x42];

/** ISO-2022-JP: the bytes of EUC-JP without their high bit, between escape sequences. */
function shifted(eucJp: ReadonlyMap<string, readonly number[]>): Table {
  return (char) => {
    if (char === "\x1b" || char === "\x0e" || char === "\x0f") return undefined;
    const bytes = eucJp.get(char);
    if (bytes === undefined || bytes[0] === 0x8e) return undefined;
    return bytes.length === 1 ? bytes : [...shiftIn, ...bytes.map((byte) => byte & 0x7f), ...shiftOut];
  };
}

/** GB18030 has every character: those without two bytes have four, in order of their code. */
function withLongForms(short: Map<string, readonly number[]>): Table {
  const firstOfOthers = 189_000;
  let isComplete = false;
  return (char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code > 0xffff) return fourBytes(firstOfOthers + code - 0x10000);
    if (!short.has(char) && !isComplete) {
      isComplete = true;
      const decoder = textDecoder("gb18030");
      for (let at = 0; at < 39_420; at++) {
        const text = decoder.decode(Uint8Array.from(fourBytes(at)));
        if (text.length === 1 && text !== "\ufffd" && !short.has(text)) short.set(text, fourBytes(at));
      }
    }
    return short.get(char);
  };
}

function fourBytes(at: number): readonly number[] {
  const [first, second, third] = [
    Math.floor(at / 12_600),
    Math.floor(at / 1260) % 10,
    Math.floor(at / 10) % 126,
  ];
  return [0x81 + first, 0x30 + second, 0x81 + third, 0x30 + (at % 10)];
}
