/** Output filters after a `|`, in the styles of three system families. */
import type { Simulated } from "../../../plugin/simulated.ts";

type Style = NonNullable<Simulated["pipes"]>;
type Filter = (lines: readonly string[]) => readonly string[];

/** Applies a command's filters; undefined if one of them is unknown. */
export function applyPipes(
  line: string,
  style: Style | undefined,
): { readonly command: string; filter(text: string): string } | undefined {
  const [command = "", ...words] = style === undefined ? [line] : line.split(/\s*\|\s*/);
  const filters = words.map((text) => (style === undefined ? undefined : filterOf(text, style)));
  if (filters.some((filter) => filter === undefined)) return undefined;
  return {
    command,
    filter: (text) => {
      if (filters.length === 0) return text;
      return filters
        .reduce<readonly string[]>((lines, filter) => filter?.(lines) ?? lines, text.split("\n"))
        .join("\n");
    },
  };
}

/** Filter names may be abbreviated: `| inc` is `| include`. */
function filterOf(text: string, style: Style): Filter | undefined {
  const [word = "", ...rest] = text.split(" ");
  const argument = rest.join(" ").replace(/^"(.*)"$/, "$1");
  const names = style === "junos" ? junosNames : ciscoNames;
  const name = names.find((candidate) => word !== "" && candidate.startsWith(word));
  if (name === undefined) return undefined;
  if (name === "no-more" || name === "display") return (lines) => lines;
  if (name === "count" && style !== "ios") return (lines) => [counted(lines.length, style)];
  if (name === "last") return (lines) => lines.slice(-Number(argument || "10"));
  const pattern = expression(argument, style === "junos" ? "i" : "");
  if (pattern === undefined) return undefined;
  if (name === "count") {
    return (lines) => [
      `Number of lines which match regexp = ${lines.filter((line) => pattern.test(line)).length}`,
    ];
  }
  if (name === "include" || name === "match") return (lines) => lines.filter((line) => pattern.test(line));
  if (name === "exclude" || name === "except") return (lines) => lines.filter((line) => !pattern.test(line));
  if (name === "section") return (lines) => sections(lines, pattern);
  return (lines) => {
    const at = lines.findIndex((line) => pattern.test(line));
    return at < 0 ? [] : lines.slice(at);
  };
}

const ciscoNames = ["include", "exclude", "begin", "section", "count", "no-more"] as const;
const junosNames = ["match", "except", "find", "count", "last", "no-more", "display"] as const;

function counted(lines: number, style: Style): string {
  return style === "junos"
    ? `Count: ${lines} lines`
    : style === "vrp"
      ? `Total lines: ${lines}.`
      : String(lines);
}

function expression(text: string, flags: string): RegExp | undefined {
  if (text === "") return undefined;
  try {
    return new RegExp(text, flags);
  } catch {
    return undefined;
  }
}

/** Matching lines with the lines indented under them. */
function sections(lines: readonly string[], pattern: RegExp): string[] {
  const kept: string[] = [];
  let indent: number | undefined;
  for (const line of lines) {
    const depth = line.length - line.trimStart().length;
    if (indent !== undefined && depth <= indent) indent = undefined;
    if (indent === undefined && pattern.test(line)) indent = depth;
    if (indent !== undefined) kept.push(line);
  }
  return kept;
}
