/** The fields of a row as one cell: the bytes of a JSON array, decoded here. */
import type { Field } from "./field.ts";

export const packedName = "packed";

const plainColumn = /^[a-z_]\w*(\.\w+)?$/i;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function packedCell(fields: readonly Field<unknown>[]): string {
  return `cast(json_array(${fields.map(cellOf).join(", ")}) as blob) as ${packedName}`;
}

/**
 * JSON has no bytes, so a statement would fail on one column that holds some: in their place it gets a value that its
 * reader refuses. Bytes sort after everything else; this comparison is cheaper than `typeof`.
 */
function cellOf({ column, sql = column, kind }: Field<unknown>): string {
  if (plainColumn.test(sql)) return `iif(${sql} >= x'', ${kind === "text" ? "0" : "'bytes'"}, ${sql})`;
  // Not written twice, as it may count rows. Bytes become text or a number.
  return kind === "text" ? `(${sql}) || ''` : `(${sql}) + 0`;
}

/** @throws TypeError if it is not UTF-8 */
export function decoded(cell: unknown): readonly unknown[] {
  return listIn(strict.decode(bytesOf(cell)));
}

/** Of a damaged row: each cell by itself; one that is not UTF-8 becomes its bytes. */
export function cellsOf(cell: unknown, length: number): readonly unknown[] {
  try {
    // Bytes beyond ASCII stand only in texts: as Latin-1 each stays one character.
    const cells = listIn(Buffer.from(bytesOf(cell)).toString("latin1"));
    return cells.map((value) => (typeof value === "string" ? textOrBytes(value) : value));
  } catch {
    return new Array(length).fill(undefined);
  }
}

function textOrBytes(latin1: string): string | Uint8Array {
  const bytes = Buffer.from(latin1, "latin1");
  try {
    return strict.decode(bytes);
  } catch {
    return bytes;
  }
}

function bytesOf(cell: unknown): Uint8Array {
  if (cell instanceof Uint8Array) return cell;
  throw new TypeError(`${packedName} must be bytes`);
}

function listIn(text: string): unknown[] {
  const list: unknown = JSON.parse(text);
  if (Array.isArray(list)) return list;
  throw new TypeError(`${packedName} must be a list`);
}
