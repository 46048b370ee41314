/**
 * A difference of two configurations: in two columns, on a narrow screen below each other, where parts of lines are
 * marked; or by sections.
 */

import { useState } from "preact/hooks";
import type { Difference } from "../../shapes/history.ts";
import { text } from "../../text/text.ts";
import { More } from "../lists/more.tsx";
import { Prose } from "../prose.tsx";

type Row = NonNullable<Difference["parts"]>[number][number];
type Spans = NonNullable<Row["leftSpans"]>;

/** Rows that are shown at once. */
const rowsAtOnce = 1_000;

interface DifferenceProps {
  readonly label: string;
  readonly of: Pick<Difference, "parts" | "cut">;
}

export function DifferenceRows({ label, of: { parts = [], cut } }: DifferenceProps) {
  const [room, setRoom] = useState(rowsAtOnce);
  const total = parts.reduce((sum, { length }) => sum + length, 0);
  if (total === 0) return <p class="empty">{text.history.equal}</p>;
  return (
    <>
      <table class="sides">
        <caption class="hidden">{label}</caption>
        <thead class="hidden">
          <tr>
            <th scope="col">{text.history.before}</th>
            <th scope="col">{text.history.after}</th>
          </tr>
        </thead>
        {firstRows(parts, room).map((rows) => (
          <tbody key={keyOf(rows[0])}>
            {rows.map((row) => (
              <tr key={keyOf(row)} class={row.kind}>
                <Side of={row.left} spans={row.leftSpans} mark="del" whole={row.kind === "removed"} />
                <Side of={row.right} spans={row.rightSpans} mark="ins" whole={row.kind === "added"} />
              </tr>
            ))}
          </tbody>
        ))}
      </table>
      <More act={total > room && (() => setRoom(room + rowsAtOnce))} />
      {cut === true && total <= room && (
        <p class="faint">
          <Prose of={text.history.cut} />
        </p>
      )}
    </>
  );
}

const marks = { added: "ins", removed: "del", moved: "moved", within: "same" } as const;

/** Lines below those that they belong to, without regard to an order that means nothing. */
export function DifferenceTree({
  label,
  of: { changes = [], cut },
}: {
  readonly label: string;
  readonly of: Pick<Difference, "changes" | "cut">;
}) {
  const [room, setRoom] = useState(rowsAtOnce);
  if (changes.length === 0) return <p class="empty">{text.history.equal}</p>;
  return (
    <>
      <ol class="sections" aria-label={label}>
        {changes.slice(0, room).map(({ change, text: line, depth, from, to }) => (
          <li key={`${from ?? ""} ${to ?? ""}`} class={marks[change]}>
            <span class="line-number">{to ?? from}</span>
            <code>
              {change !== "within" && <span class="hidden">{text.history.kinds[change]} </span>}
              {line
                .split("\n")
                .map((one) => " ".repeat(2 * depth) + one.trimStart())
                .join("\n")}
            </code>
          </li>
        ))}
      </ol>
      <More act={changes.length > room && (() => setRoom(room + rowsAtOnce))} />
      {cut === true && changes.length <= room && (
        <p class="faint">
          <Prose of={text.history.cut} />
        </p>
      )}
    </>
  );
}

const keyOf = (row: Row | undefined) => `${row?.left?.line ?? ""} ${row?.right?.line ?? ""}`;

function firstRows(parts: readonly (readonly Row[])[], room: number): (readonly Row[])[] {
  let left = room;
  return parts.flatMap((rows) => {
    const shown = rows.slice(0, left);
    left -= shown.length;
    return shown.length === 0 ? [] : [shown];
  });
}

interface SideProps {
  readonly of: Row["left"];
  readonly spans: Spans | undefined;
  readonly mark: "del" | "ins";
  /** The other side has no such line. */
  readonly whole: boolean;
}

function Side({ of, spans, mark, whole }: SideProps) {
  if (of === undefined) return <td class={`absent ${mark}`} />;
  const isChanged = whole || spans !== undefined;
  return (
    <td class={isChanged ? mark : `same ${mark}`}>
      <span class="line-number">{of.line}</span>
      <code>
        {isChanged && (
          <span class="hidden">{mark === "del" ? text.history.kinds.removed : text.history.kinds.added}</span>
        )}
        {spans === undefined ? of.text : <Marked text={of.text} spans={spans} mark={mark} />}
      </code>
    </td>
  );
}

function Marked({ text: line, spans, mark: Mark }: { text: string; spans: Spans; mark: "del" | "ins" }) {
  const ends = [0, ...spans.map(([, end]) => end)];
  return (
    <>
      {spans.map(([from, to], at) => (
        <>
          {line.slice(ends[at], from)}
          <Mark key={from}>{line.slice(from, to)}</Mark>
        </>
      ))}
      {line.slice(ends.at(-1))}
    </>
  );
}
