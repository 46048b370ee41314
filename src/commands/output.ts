/** What commands share at the terminal: lines, tables, and the wait for Ctrl-C. */
import process from "node:process";

export function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** Something an operator should know though nothing failed. */
export function printWarning(text: string): void {
  process.stderr.write(`patchbay: ${text}\n`);
}

/** Rows of texts in columns, for people. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [header, ...rows]) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    print(cells.join("  ").trimEnd());
  }
}

/** A time to the minute, in UTC. */
export function minute(at: number | null): string {
  return at === null ? "-" : new Date(at).toISOString().slice(0, 16);
}

export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}
