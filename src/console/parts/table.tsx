/** A table of records with column definitions; wide tables scroll horizontally. */
import type { ComponentChildren } from "preact";
import { text } from "../text.ts";

export interface Column<T> {
  readonly head: string;
  /** Where two heads may be equal; default: the head. */
  readonly key?: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Right-aligned. */
  readonly number?: boolean;
}

interface TableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** Shown if there are no rows. */
  readonly empty: ComponentChildren;
  /** On a narrow screen each row is a block of its cells; false: a table that scrolls. */
  readonly stacks?: boolean;
}

export function Table<T>({ caption, columns, rows, keyOf, empty, stacks = true }: TableProps<T>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section class={stacks ? "scrolls stacks" : "scrolls"} tabIndex={0} aria-label={caption}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, key = head, number }) => (
              <th key={key} scope="col" class={number ? "number" : ""}>
                {head === "" ? <span class="hidden">{text.actions}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, key = head, cell, number }) => (
                <td key={key} class={number ? "number" : ""} data-head={head}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
