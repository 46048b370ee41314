/** Terminal output shared by commands: lines, tables, and waiting for Ctrl-C. */
import process from "node:process";
import { shown } from "../base/text/terminal-text.ts";

export function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a warning or an error, which may quote a device. */
export function printWarning(text: string): void {
  process.stderr.write(`patchbay: ${shown(text)}\n`);
}

/** Prints rows in aligned columns. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [header, ...rows]) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    print(cells.join("  ").trimEnd());
  }
}

/** Formats a time to the minute, in UTC. */
export function minute(at: number | null): string {
  return at === null ? "-" : new Date(at).toISOString().slice(0, 16);
}

export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}
