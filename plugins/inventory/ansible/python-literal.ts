/** Reads a literal of Python as `ast.literal_eval` does: text, bytes, numbers, tuples, lists, dicts, sets, constants. */
import { exactNumber, finite, orderedRecord, pythonBytes } from "patchbay/plugin";

export interface Literal {
  readonly value: unknown;
  /** What the value cannot hold, for warnings. */
  readonly lost: readonly string[];
}

const deepest = 90;

/** @returns undefined if the text is no literal, or one that no value can hold: Ansible keeps it as text */
export function pythonLiteral(text: string): Literal | undefined {
  const reader = new Reader(text.replace(/^[ \t]+/, ""));
  try {
    const value = reader.whole();
    return {
      value: value instanceof Uint8Array ? new TextDecoder().decode(value) : value,
      lost: [...reader.lost],
    };
  } catch (error) {
    if (error instanceof NoLiteral) return undefined;
    throw error;
  }
}

class NoLiteral extends Error {}

const decimal = /^(?:0(?:_?0)*|[1-9](?:_?\d)*)$/;
const based = /^0(?:[xX](?:_?[\da-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)$/;
const floating = /^(?=.*[.eE])(?:\d(?:_?\d)*)?(?:\.(?:\d(?:_?\d)*)?)?(?:[eE][-+]?\d(?:_?\d)*)?$/;
const numberText = /0[xXoObB][\da-zA-Z_]*|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?[\d_]+)?[\w.]*/y;
const prefix = /([uU]|[bB]|[rR]|[bB][rR]|[rR][bB])?('''|"""|'|")/y;
const word = /[\p{L}_][\p{L}\p{N}_]*/uy;

class Reader {
  readonly lost = new Set<string>();
  #at = 0;
  #depth = 0;
  constructor(readonly text: string) {}

  whole(): unknown {
    const value = this.#listUntil(this.#endOfText);
    if (this.#at < this.text.length) throw new NoLiteral();
    return value;
  }

  readonly #endOfText = () => this.#at >= this.text.length;

  /** One value, or a tuple without parentheses. */
  #listUntil(isEnd: () => boolean): unknown {
    const { items, commas } = this.#items(isEnd);
    if (items.length === 0) throw new NoLiteral();
    if (commas === 0) return items[0];
    return this.#held(items);
  }

  #items(isEnd: () => boolean): { items: unknown[]; commas: number } {
    const items: unknown[] = [];
    let commas = 0;
    for (this.#skip(); !isEnd(); this.#skip()) {
      if (items.length > commas) throw new NoLiteral();
      items.push(this.#value());
      this.#skip();
      if (this.text[this.#at] !== ",") break;
      this.#at++;
      commas++;
    }
    return { items, commas };
  }

  /** Bytes within a collection become the text that Python prints. */
  #held(items: readonly unknown[]): unknown[] {
    return items.map((item) => {
      if (!(item instanceof Uint8Array)) return item;
      this.lost.add("binary data became text");
      return pythonBytes(item);
    });
  }

  /** Blanks, and a comment, which ends the text. */
  #skip(): void {
    while (/[ \t\f]/.test(this.text.charAt(this.#at))) this.#at++;
    if (this.text[this.#at] === "#") this.#at = this.text.length;
  }

  #value(): unknown {
    if (++this.#depth > deepest) throw new NoLiteral();
    const value = this.#atom();
    this.#depth--;
    return value;
  }

  #atom(): unknown {
    const sign = this.text[this.#at];
    switch (sign) {
      case "(":
        return this.#tuple();
      case "[":
        return this.#held(this.#bracketed("]").items);
      case "{":
        return this.#braced();
      case "+":
      case "-":
        return this.#signed(sign);
    }
    if (this.#match(prefix) !== undefined) return this.#texts();
    if (sign !== undefined && /[\d.]/.test(sign)) return this.#number("");
    return this.#constant();
  }

  #bracketed(close: string) {
    this.#at++;
    const isEnd = () => this.text[this.#at] === close;
    const read = this.#items(isEnd);
    if (!isEnd() || (read.items.length === 0 && read.commas > 0)) throw new NoLiteral();
    this.#at++;
    return read;
  }

  #tuple(): unknown {
    const { items, commas } = this.#bracketed(")");
    return items.length === 1 && commas === 0 ? items[0] : this.#held(items);
  }

  /** A dict or a set. */
  #braced(): unknown {
    this.#at++;
    const members: [string, unknown][] = [];
    const items: unknown[] = [];
    let isFirst = true;
    for (this.#skip(); this.text[this.#at] !== "}"; this.#skip()) {
      if (!isFirst) this.#expect(",");
      this.#skip();
      if (!isFirst && this.text[this.#at] === "}") break;
      isFirst = false;
      const key = this.#value();
      this.#skip();
      if (this.text[this.#at] !== ":") {
        requireHashable(key);
        items.push(key);
        continue;
      }
      this.#at++;
      this.#skip();
      members.push([this.#keyOf(key), this.#value()]);
    }
    this.#expect("}");
    if (items.length > 0 && members.length > 0) throw new NoLiteral();
    if (items.length === 0) {
      const held = this.#held(members.map(([, value]) => value));
      return orderedRecord(members.map(([key], at) => [key, held[at]]));
    }
    this.lost.add("a set became a list");
    const texts = new Set<string>();
    return this.#held(items).filter((item) => texts.size !== texts.add(JSON.stringify(item)).size);
  }

  /** The name that Python's JSON gives a key. */
  #keyOf(key: unknown): string {
    if (typeof key === "string") return key;
    if (Array.isArray(key) || key instanceof Uint8Array) throw new NoLiteral();
    requireHashable(key);
    this.lost.add("a key that is no text became text");
    return String(key);
  }

  #signed(sign: string): unknown {
    this.#at++;
    this.#skip();
    return this.#number(sign === "-" ? "-" : "");
  }

  #number(sign: string): unknown {
    const text = this.#match(numberText);
    if (text === undefined) throw new NoLiteral();
    this.#at += text.length;
    const plain = text.replaceAll("_", "");
    if (decimal.test(text) || based.test(text)) {
      // Python refuses longer ones.
      if (plain.length > 4300) throw new NoLiteral();
      const value = BigInt(plain);
      return exactNumber(String(sign === "-" ? -value : value));
    }
    if (!floating.test(text) || !/\d/.test(text)) throw new NoLiteral();
    const { value, lost } = finite(Number(sign + plain));
    if (lost !== undefined) this.lost.add(lost);
    return value;
  }

  /** Adjacent texts are one. */
  #texts(): string | Uint8Array {
    let text = "";
    let isBytes: boolean | undefined;
    for (let begin = this.#match(prefix); begin !== undefined; begin = this.#match(prefix)) {
      const [, kind = "", quote = ""] = /^(\w*)(.*)$/s.exec(begin) ?? [];
      const bytes = /b/i.test(kind);
      if (isBytes !== undefined && isBytes !== bytes) throw new NoLiteral();
      isBytes = bytes;
      this.#at += begin.length;
      text += this.#quoted(quote, /r/i.test(kind), bytes);
      this.#skip();
    }
    if (isBytes !== true) return text;
    return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
  }

  #quoted(quote: string, isRaw: boolean, isBytes: boolean): string {
    let value = "";
    while (!this.text.startsWith(quote, this.#at)) {
      const sign = this.text[this.#at++];
      if (sign === undefined || (isBytes && sign > "\x7f")) throw new NoLiteral();
      if (sign !== "\\") value += sign;
      else if (isRaw) value += `\\${this.text[this.#at++] ?? ""}`;
      else value += this.#escape(isBytes);
    }
    this.#at += quote.length;
    return value;
  }

  #escape(isBytes: boolean): string {
    const [, octal, hex, unicode] =
      /^(?:([0-7]{1,3})|x([\da-fA-F]{2})|(u[\da-fA-F]{4}|U[\da-fA-F]{8}))/.exec(
        this.text.slice(this.#at, this.#at + 9),
      ) ?? [];
    const sign = this.text[this.#at] ?? "";
    if (octal !== undefined) {
      this.#at += octal.length;
      const code = Number.parseInt(octal, 8);
      return String.fromCharCode(isBytes ? code & 255 : code);
    }
    if (hex !== undefined) {
      this.#at += 3;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    if (unicode !== undefined && !isBytes) {
      this.#at += unicode.length;
      const code = Number.parseInt(unicode.slice(1), 16);
      if (code > 0x10ffff) throw new NoLiteral();
      return String.fromCodePoint(code);
    }
    // Names of characters, and escapes cut short.
    if (sign === "" || sign === "x" || (!isBytes && /[uUN]/.test(sign))) throw new NoLiteral();
    this.#at++;
    return escapes[sign] ?? `\\${sign}`;
  }

  #constant(): unknown {
    const name = this.#match(word);
    if (name === undefined) throw new NoLiteral();
    this.#at += name.length;
    if (name === "True") return true;
    if (name === "False") return false;
    if (name === "None") return null;
    const call = /^\s*\(\s*\)/.exec(this.text.slice(this.#at))?.[0];
    if (name !== "set" || call === undefined) throw new NoLiteral();
    this.#at += call.length;
    this.lost.add("a set became a list");
    return [];
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.text)?.[0];
  }

  #expect(sign: string): void {
    if (this.text[this.#at] !== sign) throw new NoLiteral();
    this.#at++;
  }
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Lists and dicts are no keys, and no members of sets. */
function requireHashable(key: unknown): void {
  const isOther = typeof key === "object" && key !== null && Object.getPrototypeOf(key) === Object.prototype;
  if (isOther) throw new NoLiteral();
}
