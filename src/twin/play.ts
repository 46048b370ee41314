/** Lines played on a twin as a driver sends them, and what the twin shows then. */
import { hasMenus } from "../configtree/menus.ts";
import type { Refusal } from "../configtree/outcome.ts";
import { entryLengths } from "../configtree/tree.ts";
import { createTwin, type TwinRules } from "./twin.ts";

/** A line that was not simply taken. */
export interface PlayedLine {
  /** From 1. */
  readonly line: number;
  readonly why: string;
}

export interface Played {
  /** Lines that say something. */
  readonly lines: number;
  readonly refused: readonly PlayedLine[];
  /** Kept as they stand. */
  readonly unknown: readonly PlayedLine[];
  /** What the twin shows then; of a system of paths, as commands. */
  readonly left: string;
}

/** Takes time linear in the length of the texts. */
export function playLines(text: string, lines: readonly string[], twinRules: TwinRules): Played {
  const { rules } = twinRules;
  const twin = createTwin(text, twinRules);
  const cursor = twin.cursor();
  const { blocks, texts } = rules;
  const lengthAt = entryLengths(lines, { blocks, texts, ...(hasMenus(rules) ? { shape: "menus" } : {}) });
  const refused: PlayedLine[] = [];
  const unknown: PlayedLine[] = [];
  let count = 0;
  for (let at = 0; at < lines.length; ) {
    const given = lines[at] ?? "";
    const length = lengthAt(at, given);
    const told = cursor.take(lines.slice(at, at + length), isDeeper(lines[at + length], given));
    if (told !== undefined) {
      count++;
      if (told.refusal !== undefined) refused.push({ line: at + 1, why: refusalText(told.refusal) });
      if (told.unknown !== undefined) unknown.push({ line: at + 1, why: told.unknown });
    }
    at += length;
  }
  return { lines: count, refused, unknown, left: twin.commands() ?? twin.running() };
}

const indentOf = (line: string) => line.length - line.trimStart().length;

function isDeeper(next: string | undefined, line: string): boolean {
  return next !== undefined && next.trim() !== "" && indentOf(next) > indentOf(line);
}

export function refusalText({ why, of }: Refusal): string {
  if (why === "second") return `there is "${of}", which has to be removed first`;
  return why === "absent" ? `there is no "${of}" to remove` : `it needs "${of}", which is not there`;
}
