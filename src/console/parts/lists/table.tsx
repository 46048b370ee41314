/** A table of records with column definitions; wide tables scroll horizontally. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { keep, kept } from "../../kept.ts";
import { byName } from "../../names.ts";
import { csvOf, type Records } from "../../records.ts";
import { place, refine } from "../../route.ts";
import { text } from "../../text/text.ts";
import { Copy } from "../copy.tsx";
import { Save } from "../save.tsx";
import { When } from "../when.tsx";

interface Named {
  readonly head: string;
  /** Where two heads may be equal; default: the head. */
  readonly key?: string;
  /** Right-aligned. */
  readonly number?: boolean;
  /** Wraps, where others are one line. */
  readonly long?: boolean;
}

interface Cells<T> extends Named {
  readonly cell: (row: T) => ComponentChildren;
  /** For cells that are no plain text: rows of a table with tools are sorted by it. */
  readonly value?: (row: T) => string | number | null | undefined;
  readonly at?: undefined;
}

interface Times<T> extends Named {
  /** ISO 8601. */
  readonly at: (row: T) => string | null | undefined;
}

export type Column<T> = Cells<T> | Times<T>;

interface TableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, at: number) => string;
  /** Shown if there are no rows. */
  readonly empty: ComponentChildren;
  /** On a narrow screen each row is a block of its cells; false: a table that scrolls. */
  readonly stacks?: boolean;
  /** It can be sorted, with the order in the address; columns chosen, rows copied. Its word there, if it is one of several. */
  readonly tools?: boolean | string;
}

/** Characters of a text that stays one line, whatever its column. */
const longest = 40;

export function Table<T>({
  caption,
  columns,
  rows,
  keyOf,
  empty,
  stacks = true,
  tools = false,
}: TableProps<T>) {
  const body = useRef<HTMLTableElement>(null);
  const [hidden, setHidden] = useState(() => (tools ? hiddenIn(caption) : noColumn));
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const filled = columns.filter((column) => rows.some((row) => !isBlank(column, row)));
  const shown = filled.filter(({ head }) => !hidden.has(head));
  const word = tools === true ? "sort" : tools || "";
  const order = orderOf(columns, word);
  const choose = (head: string) => {
    const next = new Set(hidden);
    if (!next.delete(head)) next.add(head);
    setHidden(next);
    keep(storedAs(caption), JSON.stringify([...next]));
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section class={stacks ? "scrolls stacks" : "scrolls"} tabIndex={0} aria-label={caption}>
      {tools && (
        <Tools
          caption={caption}
          columns={filled}
          hidden={hidden}
          choose={choose}
          read={() => readTable(body.current)}
        />
      )}
      <table ref={body}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {shown.map((column) => (
              <Head
                key={column.key ?? column.head}
                of={column}
                order={order}
                word={word}
                sorts={!!tools && rows.some((row) => isFilled(sortValue(column, row)))}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted(rows, order).map((row, at) => (
            <tr key={keyOf(row, at)}>
              {shown.map((column) => {
                const said = column.at === undefined ? column.cell(row) : <When at={column.at(row)} />;
                const isLong = column.long || (typeof said === "string" && said.length > longest);
                return (
                  <td
                    key={column.key ?? column.head}
                    class={column.number ? "number" : isLong ? "long" : ""}
                    data-head={column.head}
                  >
                    {said}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface Order<T> {
  readonly of: Column<T>;
  readonly falls: boolean;
}

/** The order in the address: `sort=site`, or falling `sort=-site`. */
function orderOf<T>(columns: readonly Column<T>[], word: string): Order<T> | undefined {
  const said = place.value.query.get(word) ?? "";
  const of = columns.find(({ head }) => head !== "" && head === said.replace(/^-/, ""));
  return of && { of, falls: said.startsWith("-") };
}

/** Rows without a value come last, in both orders. */
function sorted<T>(rows: readonly T[], order: Order<T> | undefined): readonly T[] {
  if (order === undefined) return rows;
  const sign = order.falls ? -1 : 1;
  return rows
    .map((row) => ({ row, value: sortValue(order.of, row) }))
    .sort(({ value: a }, { value: b }) => {
      if (!isFilled(a) || !isFilled(b)) return Number(isFilled(b)) - Number(isFilled(a));
      return sign * (typeof a === "number" && typeof b === "number" ? a - b : byName(String(a), String(b)));
    })
    .map(({ row }) => row);
}

function sortValue<T>(column: Column<T>, row: T): string | number | null | undefined {
  if (column.at !== undefined) return column.at(row);
  if (column.value !== undefined) return column.value(row);
  const shown = column.cell(row);
  return typeof shown === "string" || typeof shown === "number" ? shown : undefined;
}

/** Whether there is nothing to see. */
function isBlank<T>(column: Column<T>, row: T): boolean {
  const shown = (column.at ?? column.value ?? column.cell)(row);
  return shown === false || !isFilled(shown);
}

const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

interface HeadProps<T> {
  readonly of: Column<T>;
  readonly order: Order<T> | undefined;
  readonly word: string;
  readonly sorts: boolean;
}

function Head<T>({ of: { head, number }, order, word, sorts }: HeadProps<T>) {
  const same = { scope: "col", class: number ? "number" : "" } as const;
  if (head === "")
    return (
      <th {...same}>
        <span class="hidden">{text.actions}</span>
      </th>
    );
  if (!sorts) return <th {...same}>{head}</th>;
  const isOurs = order?.of.head === head;
  const next = isOurs ? (order.falls ? undefined : `-${head}`) : head;
  return (
    <th
      {...same}
      {...(isOurs ? { "aria-sort": order.falls ? ("descending" as const) : ("ascending" as const) } : {})}
    >
      <button type="button" class="sort" onClick={() => refine({ [word]: next })} title={text.table.sort}>
        {head}
        {isOurs && <span aria-hidden="true"> {order.falls ? "↓" : "↑"}</span>}
      </button>
    </th>
  );
}

interface ToolsProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly hidden: ReadonlySet<string>;
  readonly choose: (head: string) => void;
  readonly read: () => Records;
}

/** Made when it is opened: its boxes are named like the columns. */
function Tools<T>({ caption, columns, hidden, choose, read }: ToolsProps<T>) {
  const [open, setOpen] = useState(false);
  // The first names the row.
  const others = columns.slice(1).filter(({ head }) => head !== "");
  return (
    <details class="more tools" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text.table.tools}</summary>
      {open && (
        <div class="filters">
          {others.map(({ head }) => (
            <label key={head} class="choice">
              <input type="checkbox" checked={!hidden.has(head)} onChange={() => choose(head)} /> {head}
            </label>
          ))}
          <Copy value={() => tabbed(read())} label={caption} />
          <Save name={`${caption}.csv`} type="text/csv" label={text.table.csv} make={() => csvOf(read())} />
        </div>
      )}
    </details>
  );
}

const noColumn: ReadonlySet<string> = new Set();
const storedAs = (caption: string) => `columns of ${caption}`;

/** Columns that this browser was told to leave out. */
function hiddenIn(caption: string): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(kept(storedAs(caption)) ?? "[]");
    return new Set(Array.isArray(stored) ? stored.map(String) : []);
  } catch {
    return noColumn;
  }
}

/** What the table shows, without the columns of buttons and what leads on from counts. */
function readTable(table: HTMLTableElement | null): Records {
  const [head, ...rows] = [...(table?.rows ?? [])].map((row) => [...row.cells]);
  const kept = (head ?? []).map((cell) => cell.textContent !== text.actions);
  const words = (cells: readonly HTMLTableCellElement[]) =>
    cells
      .filter((_, at) => kept[at])
      .map((cell) => {
        const link = cell.querySelector(".counts > a")?.textContent ?? "";
        return (cell.textContent ?? "").replace(link, "").replace(/[↑↓]$/, "").trim();
      });
  return { columns: words(head ?? []), rows: rows.map(words) };
}

/** For spreadsheets, which take tabs for columns. */
const tabbed = ({ columns, rows }: Records): string =>
  [columns, ...rows].map((row) => row.map((cell) => cell.replace(/\s+/g, " ")).join("\t")).join("\n");
