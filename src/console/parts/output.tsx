/** Outputs of commands: text as in a terminal, records as tables with CSV export. */
import { csvOf, recordsOf } from "../records.ts";
import { shownText } from "../shown.ts";
import { Copy } from "./copy.tsx";
import { Table } from "./lists/table.tsx";
import { OutputText } from "./output-text.tsx";
import { Save } from "./save.tsx";

export function Output({ of }: { of: unknown }) {
  if (of === null || of === undefined) return null;
  const parts = typeof of === "object" && !Array.isArray(of) ? Object.entries(of) : [["", of] as const];
  return (
    <>
      {parts.map(([command, value]) => (
        <section key={command} aria-label={`Output of ${command}`}>
          <One command={command} value={value} />
        </section>
      ))}
    </>
  );
}

function One({ command, value }: { command: string; value: unknown }) {
  const records = recordsOf(value);
  const plain = shownText(value, 2);
  return (
    <>
      <h2>
        <code>{command.split("\n")[0]}</code> <Copy value={plain} label="output" />{" "}
        {records && <Save name={`${command}.csv`} type="text/csv" label="CSV" make={() => csvOf(records)} />}
      </h2>
      {records ? (
        <Records of={records} label={command} />
      ) : (
        <OutputText of={plain} label={command.split("\n")[0] || "the job"} />
      )}
    </>
  );
}

interface RecordsProps {
  readonly of: NonNullable<ReturnType<typeof recordsOf>>;
  /** Tells it from others of its page. */
  readonly label: string;
}

export function Records({ of: { columns, rows }, label }: RecordsProps) {
  return (
    <Table
      caption={`Parsed ${label}`}
      rows={rows}
      keyOf={(_, at) => String(at)}
      empty=""
      columns={columns.map((head, at) => ({ head, cell: (row: readonly string[]) => row[at] }))}
    />
  );
}
