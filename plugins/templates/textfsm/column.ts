/** The state of one Value during a parse; its options act in the order written. */
import type { OptionName, ValueDefinition } from "./value.ts";

/** Contents of a cell. */
export type Entry = string | null | Readonly<Record<string, string | null>>;
export type Cell = string | null | readonly Entry[];

/** Thrown where Python raises a TypeError; the caller adds line and state. */
export class NotAText extends Error {}

/** A class, not closures: every run makes one per value. */
export class Column {
  value: Cell = null;
  private readonly options: readonly OptionName[];
  private readonly isPlain: boolean;
  private readonly keeps: boolean;
  private lastText: string | null = null;
  private list: Entry[] = [];

  constructor(private readonly definition: ValueDefinition) {
    this.options = definition.options;
    this.keeps = this.options.includes("Filldown");
    this.isPlain = this.options.every((option) => option === "Key" || option === "Required");
  }

  assign(text: string | null, index: number, rows: Cell[][]): void {
    this.value = text;
    if (this.isPlain) return;
    for (const option of this.options) {
      if (option === "Filldown") this.lastText = text;
      else if (option === "Fillup") fillUp(text, index, rows);
      else if (option === "List") this.list.push(this.entry(text));
    }
  }

  clear(): void {
    this.value = this.keeps ? this.lastText : null;
    if (!this.keeps && this.list.length > 0) this.list = [];
  }

  clearAll(): void {
    this.value = null;
    this.lastText = null;
    this.list = [];
  }

  /** Returns false if the record must be skipped. */
  save(): boolean {
    for (const option of this.options) {
      if (option === "Required" && !isFilled(this.value)) return false;
      if (option === "List") this.value = [...this.list];
    }
    return true;
  }

  private entry(text: string | null): Entry {
    const { nested } = this.definition;
    if (nested === undefined) return text;
    if (text === null) throw new NotAText("expected string or bytes-like object, got 'NoneType'");
    const groups = nested.match(text)?.groupdict();
    return groups === undefined || groups.size === 0 ? text : Object.fromEntries(groups);
  }
}

/** Fills rows upwards until one already has the value. */
function fillUp(text: string | null, index: number, rows: Cell[][]): void {
  if (text === null || text === "") return;
  for (let row = rows.length - 1; row >= 0; row--) {
    const cells = rows[row];
    if (cells === undefined || isFilled(cells[index])) return;
    cells[index] = text;
  }
}

function isFilled(cell: Cell | undefined): boolean {
  return cell !== undefined && cell !== null && cell.length > 0;
}
