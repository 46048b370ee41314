/** Results of the checks around a push, and whether it was rolled back. */
import { Table } from "../parts/table.tsx";
import type { Job } from "../shapes.ts";
import { text } from "../text.ts";

type Report = NonNullable<Job["checks"]>;

export function Checks({ of }: { of: Report }) {
  const rows = [
    ...of.before.map((check, index) => ({ ...check, when: "before", index })),
    ...of.after.map((check, index) => ({ ...check, when: "after", index })),
  ];
  return (
    <section aria-label="Checks">
      <h2>Checks</h2>
      <p>{wordOf(of)}</p>
      <Table
        caption="Checks"
        rows={rows}
        keyOf={({ when, index }) => `${when} ${index}`}
        empty={text.nothing.other}
        columns={[
          { head: "when", cell: ({ when }) => when },
          {
            head: "state",
            cell: ({ ok }) => <State of={ok} />,
          },
          { head: "check", cell: ({ name, command }) => <span class="words">{name ?? command}</span> },
          { head: "found", cell: ({ value }) => <code class="cut">{plain(value)}</code> },
          { head: "expected", cell: ({ expected }) => <code class="cut">{plain(expected)}</code> },
          { head: "reason", cell: ({ message }) => <span class="words">{message}</span> },
        ]}
      />
    </section>
  );
}

function State({ of }: { of: boolean | null }) {
  if (of === null) return <span class="status held">– not evaluated</span>;
  return (
    <span class={`status ${of ? "finished" : "failed"}`}>
      <span aria-hidden="true">{of ? "✓" : "✕"}</span> {of ? "ok" : "failed"}
    </span>
  );
}

/** The message says whether the push was rolled back, and ends with the method. */
function wordOf({ undone, how, message }: Report): string {
  const sentence = message ?? "";
  return undone === true && how ? `${sentence.replace(/\.$/, "")} (${how}).` : sentence;
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
