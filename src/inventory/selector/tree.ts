/** Parses the tokens of a selector into an AST. Precedence: `not`, then `and` (or a blank), then `or`. */
import { type SelectorValue, type SelectorWord, selectorFault } from "./words.ts";

export type SelectorNode =
  | { readonly kind: "all" }
  | { readonly kind: "not"; readonly node: SelectorNode }
  | { readonly kind: "and" | "or"; readonly nodes: readonly SelectorNode[] }
  | {
      readonly kind: "term";
      readonly field: string;
      readonly position: number;
      readonly values: readonly SelectorValue[];
    };

const maxTerms = 500;
const deepest = 64;

/** @throws ServiceError Validation */
export function treeOf(words: readonly SelectorWord[], path: string): SelectorNode {
  let next = 0;
  let terms = 0;
  const end: SelectorWord = words.at(-1) ?? { kind: "end", position: 0 };
  const peek = () => words[next] ?? end;
  const fault = (message: string) => selectorFault(path, message, peek().position);

  const node = alternatives(0);
  if (peek().kind === ")") throw fault('this ")" closes nothing');
  return node;

  function alternatives(depth: number): SelectorNode {
    if (depth > deepest) throw fault(`is nested more than ${deepest} deep`);
    const nodes = [together(depth)];
    while (peek().kind === "or") {
      next++;
      nodes.push(together(depth));
    }
    return joined("or", nodes);
  }

  function together(depth: number): SelectorNode {
    const nodes = [single(depth)];
    for (;;) {
      const { kind } = peek();
      if (kind === "and") next++;
      else if (kind === "or" || kind === ")" || kind === "end") return joined("and", nodes);
      nodes.push(single(depth));
    }
  }

  function single(depth: number): SelectorNode {
    const token = peek();
    switch (token.kind) {
      case "not": {
        if (depth >= deepest) throw fault(`is nested more than ${deepest} deep`);
        next++;
        return { kind: "not", node: single(depth + 1) };
      }
      case "(": {
        next++;
        const inner = alternatives(depth + 1);
        if (peek().kind !== ")") throw fault(`the "(" at character ${token.position + 1} is not closed`);
        next++;
        return inner;
      }
      case "all":
        next++;
        return { kind: "all" };
      case "term": {
        terms += token.values.length;
        if (terms > maxTerms) throw fault(`has more than ${maxTerms} terms`);
        next++;
        return token;
      }
      default:
        throw fault(missing(token));
    }
  }

  function missing({ kind }: SelectorWord): string {
    if (next === 0 && kind === "end") return 'is empty: write field:value, or "all"';
    const before = words[next - 1]?.kind;
    const where =
      before === undefined || before === "term" || before === "all" ? "here" : `after "${before}"`;
    return `a term is missing ${where}: write field:value`;
  }
}

function joined(kind: "and" | "or", nodes: readonly SelectorNode[]): SelectorNode {
  const [first] = nodes;
  return nodes.length === 1 && first !== undefined ? first : { kind, nodes };
}
