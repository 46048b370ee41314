/** Character classes: `[...]`, with Python's rules for a leading `]`, ranges and escapes. */
import type { CaseRule, Node, SetItem } from "./ast.ts";
import { readClassEscape } from "./escapes.ts";
import type { Source } from "./source.ts";

/** Reads on after the `[`. */
export function readClass(source: Source, casing: CaseRule, ascii: boolean): Node {
  const start = source.tell() - 1;
  const negated = source.accept("^");
  const items: SetItem[] = [];
  const unterminated = () => source.error("unterminated character set", source.tell() - start);
  for (;;) {
    const token = source.take();
    if (token === undefined) throw unterminated();
    if (token === "]" && items.length > 0) break;
    const first = readItem(source, token);
    if (!source.accept("-")) {
      items.push(first);
      continue;
    }
    const end = source.take();
    if (end === undefined) throw unterminated();
    if (end === "]") {
      items.push(first, { kind: "range", from: 45, to: 45 });
      break;
    }
    const second = readItem(source, end);
    if (first.kind !== "range" || second.kind !== "range" || second.from < first.from) {
      throw source.error(`bad character range ${token}-${end}`, token.length + 1 + end.length);
    }
    items.push({ kind: "range", from: first.from, to: second.from });
  }
  const only = items[0];
  if (!negated && items.length === 1 && only?.kind === "range" && only.from === only.to) {
    return { kind: "literal", code: only.from, casing };
  }
  return { kind: "set", negated, items, casing, ascii };
}

function readItem(source: Source, token: string): SetItem {
  if (!token.startsWith("\\")) {
    const code = token.codePointAt(0) ?? 0;
    return { kind: "range", from: code, to: code };
  }
  const read = readClassEscape(source, token);
  if (read.kind === "category") return { kind: "category", category: read.category, negated: read.negated };
  const value = read.kind === "code" ? read.code : 0;
  return { kind: "range", from: value, to: value };
}
