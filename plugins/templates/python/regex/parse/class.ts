/** Parses character classes: `[...]`, with Python's rules for a leading `]`, ranges and escapes. */
import { textLength } from "../../text/codepoints.ts";
import type { SetItem } from "./ast.ts";
import { readClassEscape } from "./escapes.ts";
import { accept, type Reader, refuse, refuseAt, take } from "./reader.ts";

export interface CharacterClass {
  readonly negated: boolean;
  readonly items: readonly SetItem[];
}

/** Called after the `[`. */
export function readClass(reader: Reader): CharacterClass {
  const start = reader.position - 1;
  const negated = accept(reader, 94);
  const items: SetItem[] = [];
  for (;;) {
    const token = take(reader);
    if (token === undefined) throw refuseAt(reader, "unterminated character set", start);
    if (token === "]" && items.length > 0) break;
    const first = readItem(reader, token);
    if (!accept(reader, 45)) {
      items.push(first);
      continue;
    }
    const end = take(reader);
    if (end === undefined) throw refuseAt(reader, "unterminated character set", start);
    if (end === "]") {
      items.push(first, { kind: "range", from: 45, to: 45 });
      break;
    }
    const second = readItem(reader, end);
    if (first.kind !== "range" || second.kind !== "range" || second.from < first.from) {
      const back = textLength(token) + 1 + textLength(end);
      throw refuse(reader, `bad character range ${token}-${end}`, back);
    }
    items.push({ kind: "range", from: first.from, to: second.from });
  }
  return { negated, items };
}

function readItem(reader: Reader, token: string): SetItem {
  if (!token.startsWith("\\")) return singleCode(token.codePointAt(0) ?? 0);
  const read = readClassEscape(reader, token);
  if (read.kind === "category") return read;
  return singleCode(read.kind === "code" ? read.code : 0);
}

const singleCode = (code: number): SetItem => ({ kind: "range", from: code, to: code });
