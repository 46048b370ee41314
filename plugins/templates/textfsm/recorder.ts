/** Records the columns as a row unless it is empty, and counts the size of the rows. */
import { TemplateError, type TemplateLimits } from "../python/text.ts";
import type { Cell, Column } from "./column.ts";

export function createRecorder(
  columns: readonly Column[],
  rows: Cell[][],
  limits: TemplateLimits,
): () => void {
  let chars = 0;
  let items = 0;

  function count(cell: Cell): void {
    if (typeof cell === "string") chars += cell.length;
    else if (cell !== null) items += cell.length;
    if (items > limits.listItems) {
      throw new TemplateError("TemplateLimit", `more than ${limits.listItems} items in lists`);
    }
    if (chars > limits.outputChars) {
      throw new TemplateError("TemplateLimit", `more than ${limits.outputChars} characters of records`);
    }
  }

  return () => {
    if (columns.length === 0) return;
    const cells: Cell[] = [];
    let filled = false;
    let saved = true;
    for (const column of columns) {
      if (!column.save()) {
        saved = false;
        break;
      }
      const { value } = column;
      // Only null and the empty list count as empty; the empty string does not.
      if (value !== null && (typeof value === "string" || value.length > 0)) filled = true;
      cells.push(value ?? "");
    }
    if (saved && !filled) return;
    if (saved) {
      for (const cell of cells) count(cell);
      if (rows.length >= limits.listItems) {
        throw new TemplateError("TemplateLimit", `more than ${limits.listItems} records`);
      }
      rows.push(cells);
    }
    for (const column of columns) column.clear();
  };
}
