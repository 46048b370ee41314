/** The state of one value while a text is read; its options act in the order written. */
import type { OptionName, ValueDefinition } from "./value.ts";

/** What a cell of a record can hold. */
export type Entry = string | null | Readonly<Record<string, string | null>>;
export type Cell = string | null | readonly Entry[];

export interface Column {
  assign(text: string | null, index: number, rows: Cell[][]): void;
  clear(): void;
  clearAll(): void;
  /** False: the record is to be skipped. */
  save(): boolean;
  readonly value: Cell;
}

/** Thrown where Python would raise a TypeError; the caller adds line and state. */
export class NotAText extends Error {}

export function createColumn({ options, nested }: ValueDefinition): Column {
  const keepsList = options.includes("Filldown");
  let value: Cell = null;
  let kept: string | null = null;
  let list: Entry[] = [];

  const onAssign: Partial<Record<OptionName, (text: string | null, index: number, rows: Cell[][]) => void>> =
    {
      Filldown(text) {
        kept = text;
      },
      Fillup(text, index, rows) {
        if (text === null || text === "") return;
        for (let row = rows.length - 1; row >= 0; row--) {
          const cells = rows[row];
          if (cells === undefined || isFilled(cells[index])) return;
          cells[index] = text;
        }
      },
      List(text) {
        list.push(entry(text));
      },
    };

  function entry(text: string | null): Entry {
    if (nested === undefined) return text;
    if (text === null) throw new NotAText("expected string or bytes-like object, got 'NoneType'");
    const groups = nested.match(text)?.groupdict();
    return groups === undefined || groups.size === 0 ? text : Object.fromEntries(groups);
  }

  const actions = options.flatMap((option) => onAssign[option] ?? []);

  return {
    get value() {
      return value;
    },
    assign(text, index, rows) {
      value = text;
      for (const action of actions) action(text, index, rows);
    },
    clear() {
      value = keepsList ? kept : null;
      if (!keepsList) list = [];
    },
    clearAll() {
      value = null;
      kept = null;
      list = [];
    },
    save() {
      for (const option of options) {
        if (option === "Required" && !isFilled(value)) return false;
        if (option === "List") value = [...list];
      }
      return true;
    },
  };
}

function isFilled(cell: Cell | undefined): boolean {
  return cell !== undefined && cell !== null && cell.length > 0;
}
