/** Prints lists as a table, JSON or CSV. */
import type { Command } from "commander";
import { asRead } from "../../../base/text/terminal-text.ts";
import { csvText, jsonLines, tableText } from "../../../client/output/table.ts";
import type { Terminal } from "../../../client/output/terminal.ts";

export interface FormFlags {
  readonly json?: boolean;
  readonly csv?: boolean;
}

export function withForms(command: Command): Command {
  return command
    .option("--json", "one JSON object a line")
    .option("--csv", "comma-separated values, for spreadsheets");
}

/** Of lists of what is kept: whose it is. */
export interface WriterFlag {
  readonly submittedBy?: string;
}

export function withWriter(command: Command): Command {
  return command.option(
    "--submitted-by <name>",
    "of this key or person; also <kind>:<name>, or me: this key or its person",
  );
}

export const ofWriter = ({ submittedBy }: WriterFlag) => ({ query: { submitted_by: submittedBy } });

/** Column titles, with the cell text of a record. */
export type Columns<T> = Readonly<Record<string, (record: T) => string>>;

export async function printList<T>(
  records: readonly T[],
  columns: Columns<T>,
  { json, csv }: FormFlags,
  terminal: Pick<Terminal, "write" | "note" | "columns">,
): Promise<void> {
  if (json === true) return terminal.write(jsonLines(records));
  const header = Object.keys(columns);
  const rows = records.map((record) => Object.values(columns).map((cell) => cell(record)));
  if (csv === true) return terminal.write(asRead(csvText(header, rows), terminal));
  if (rows.length === 0) return terminal.note("There are none.");
  return terminal.write(tableText(header, rows, terminal.columns));
}
