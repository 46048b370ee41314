/** What configuration lines would change in a configuration, as far as its text says so. */
import { apply } from "../configtree/apply.ts";
import { compareTrees, type TreeChange } from "../configtree/compare.ts";
import { type TextRules, treeRules } from "./rules.ts";

export interface EffectRules extends TextRules {
  /** `Running.negate` of the platform. */
  readonly negate: string;
}

export interface LinesEffect {
  /**
   * Changed lines with `+` and `-`, below the lines of their sections; empty: nothing changes. `?`: the line removes
   * what the text has not, so it turns a default off or does nothing.
   */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  /** Lines that the configuration has already. */
  readonly present: number;
  readonly unclear: number;
  readonly isCut: boolean;
}

/** Changed lines that are shown; the counts have all. */
const mostLines = 2_000;

/** Lines are taken one after the other, as the device would. */
export function effectOfLines(configuration: string, lines: string, textRules: EffectRules): LinesEffect {
  const rules = treeRules(textRules);
  const before = apply(configuration, [], rules).text;
  const given = lines.split("\n");
  const { text, lines: foretold } = apply(configuration, given, rules);
  const unclear = new Set(
    foretold.flatMap(({ effect, line, path }) =>
      effect === "unclear" ? [[...path, (given[line - 1] ?? "").trim()].join("\n")] : [],
    ),
  );
  const present = foretold.filter(({ effect }) => effect === "nothing").length;
  // What lines mean is foretold; where they stand in the text is not.
  const changes = compareTrees(before, text, { ...rules, unordered: [/^/], ordered: [] });
  return { ...written(changes, unclear), present };
}

type Sign = "+" | "-" | "?";

function written(changes: readonly TreeChange[], unclear: ReadonlySet<string>): Omit<LinesEffect, "present"> {
  const counts = { "+": 0, "-": 0, "?": 0 };
  const lines: string[] = [];
  let isCut = false;
  const put = (sign: Sign | " ", text: string) => {
    for (const line of text.split("\n")) {
      if (sign !== " ") counts[sign]++;
      if (lines.length < mostLines) lines.push(sign + line);
      else isCut = true;
    }
  };
  const walk = ({ change, text, children }: TreeChange, path: readonly string[]) => {
    const here = [...path, text.trim()];
    if (change === "within") put(" ", text);
    else put(change === "removed" ? "-" : unclear.has(here.join("\n")) ? "?" : "+", text);
    for (const child of children) walk(child, here);
  };
  for (const change of changes) walk(change, []);
  const { "+": added, "-": removed, "?": doubtful } = counts;
  return { text: lines.join("\n"), added, removed, unclear: doubtful, isCut };
}
