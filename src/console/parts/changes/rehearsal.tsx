/** What a rehearsal said: each line with its grade and its evidence, what would change, and the way back. */

import type { Rehearsed } from "../../shapes/changes.ts";
import { text } from "../../text/text.ts";
import { Copy } from "../copy.tsx";
import { Table } from "../lists/table.tsx";
import { Pre } from "../pre.tsx";
import { GradeCounts, GradeMark } from "./grade.tsx";

export function Rehearsal({ of }: { of: Rehearsed }) {
  const {
    message,
    lines,
    grades,
    cut,
    not_asked = [],
    warnings,
    diff,
    device_diff,
    predicted,
    reverse,
    reverse_proven,
    twin,
  } = of;
  const told = [...not_asked.map(text.rehearsal.notAsked), ...warnings];
  return (
    <section aria-label={text.rehearsal.title}>
      <h2>{text.rehearsal.title}</h2>
      <p>{message}</p>
      <p>
        <GradeCounts of={grades} />
      </p>
      {twin && <Twin of={twin} />}
      {told.length > 0 && (
        <ul class="warnings" aria-label="Warnings">
          {told.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      <Table
        caption={text.rehearsal.lines}
        rows={lines}
        keyOf={({ line }) => String(line)}
        empty={text.nothing.other}
        columns={[
          { head: "no.", cell: ({ line }) => line, number: true },
          { head: "grade", cell: ({ grade }) => <GradeMark of={grade} /> },
          { head: "line", cell: (row) => <code>{row.text}</code> },
          { head: "why", long: true, cell: ({ why }) => why },
          { head: "evidence", long: true, cell: ({ evidence }) => evidenceText(evidence) },
        ]}
      />
      {cut === true && <p class="faint">{text.rehearsal.cut}</p>}
      <Text title={text.rehearsal.diff} of={diff} isOpen />
      <Text title={text.rehearsal.deviceDiff} of={device_diff ?? null} isOpen />
      <Text
        title={reverse_proven === true ? text.rehearsal.reverse : text.rehearsal.reverseNotProven}
        of={reverse === null ? null : reverse.join("\n")}
      />
      <Text title={text.rehearsal.predicted} of={predicted} />
    </section>
  );
}

/** What happened when the lines were tried on the stored configuration. */
function Twin({ of: { proven, message, unknown, unknown_lines } }: { of: NonNullable<Rehearsed["twin"]> }) {
  const more = unknown_lines - unknown.length;
  return (
    <div class={proven ? "" : "warning"}>
      <p>
        <span aria-hidden="true">{proven ? "✓" : "!"}</span> {message}
      </p>
      {unknown.length > 0 && (
        <details>
          <summary>{text.rehearsal.unknownLines(unknown_lines)}</summary>
          <ul>
            {unknown.map(({ line, why }) => (
              <li key={line}>{text.rehearsal.unknownLine(line, why)}</li>
            ))}
          </ul>
          {more > 0 && <p class="faint">{text.overview.more(more)}</p>}
        </details>
      )}
    </div>
  );
}

function Text({ title, of, isOpen = false }: { title: string; of: string | null; isOpen?: boolean }) {
  if (of === null || of.trim() === "") return null;
  return (
    <details open={isOpen}>
      <summary>
        <strong>{title}</strong>
      </summary>
      <Copy value={of} label={title} />
      <Pre class="lines">{of}</Pre>
    </details>
  );
}

function evidenceText({
  from,
  accepted,
  refused,
  last_at,
  words,
}: Rehearsed["lines"][number]["evidence"]): string {
  return [
    text.rehearsal.from[from],
    ...(accepted === undefined ? [] : [text.rehearsal.accepted(accepted)]),
    ...(refused === undefined || refused === 0 ? [] : [text.rehearsal.refused(refused)]),
    ...(last_at === undefined ? [] : [text.rehearsal.last(last_at.slice(0, 10))]),
    ...(words === undefined ? [] : [`“${words}”`]),
  ].join(", ");
}
