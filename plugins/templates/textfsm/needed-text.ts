/** The longest text that stands in every line which a pattern matches: looked for first, it spares most expressions from being compiled. */
import type { Node } from "../python/regex/ast.ts";

/** `undefined`: there is none worth looking for. */
export function neededText(root: Node): string | undefined {
  let best = "";
  let run = "";
  const end = () => {
    if (run.length > best.length) best = run;
    run = "";
  };
  const visit = (node: Node): void => {
    switch (node.kind) {
      case "literal":
        // Beyond ASCII a character may be two units of a text, and in another case a different one.
        if (node.casing === "exact" && node.code < 128) run += String.fromCharCode(node.code);
        else end();
        return;
      case "sequence":
        for (const item of node.items) visit(item);
        return;
      case "group":
      case "atomic":
        visit(node.body);
        return;
      default:
        end();
    }
  };
  visit(root);
  end();
  return best.length > 1 ? best : undefined;
}
