/** The table of engines with passed cases, and the failures grouped by cause. */
import type { Outcome } from "./ask.ts";

export interface Row {
  readonly engine: string;
  readonly way: "http" | "in process";
  readonly outcomes: readonly Outcome[];
  /** Required percentage. */
  readonly bar: number;
}

/** Cases that need a feature this product lacks: listed but not counted. */
export interface Left {
  readonly id: string;
  readonly why: string;
}

const passed = ({ outcomes }: Row): number => outcomes.filter(({ why }) => why === undefined).length;

export const holds = (row: Row): boolean => 100 * passed(row) >= row.bar * row.outcomes.length;

export function table(rows: readonly Row[]): string {
  const head = ["engine", "way", "cases", "passed", "percent", "required"];
  const lines = rows.map((row) => {
    const count = row.outcomes.length;
    const percent = count === 0 ? 100 : (100 * passed(row)) / count;
    return [row.engine, row.way, String(count), String(passed(row)), percent.toFixed(1), String(row.bar)];
  });
  const widths = head.map((name, at) => Math.max(name.length, ...lines.map((line) => line[at]?.length ?? 0)));
  const laid = (line: readonly string[]) =>
    line
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ");
  return [head, ...lines].map(laid).join("\n");
}

export function failures(rows: readonly Row[]): string {
  const lines: string[] = [];
  for (const { engine, outcomes } of rows) {
    for (const [cause, ids] of grouped(outcomes)) {
      lines.push(`${engine}: ${cause} (${ids.length})`, ...ids.map((id) => `  ${id}`));
    }
  }
  return lines.join("\n");
}

export function leftOut(left: readonly Left[]): string {
  if (left.length === 0) return "";
  const lines = grouped(left).map(
    ([cause, ids]) => `${cause} (${ids.length})\n${ids.map((id) => `  ${id}`).join("\n")}`,
  );
  return ["Not run:", ...lines].join("\n");
}

function grouped(all: readonly Outcome[]): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const { id, why } of all) {
    if (why !== undefined) groups.set(why, [...(groups.get(why) ?? []), id]);
  }
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
}
