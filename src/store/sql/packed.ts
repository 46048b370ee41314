/** The fields of a row as one cell: the bytes of a JSON array, decoded here. */

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

const [open, comma, close] = [0x5b, 0x2c, 0x5d] as const;

/**
 * The cells of all rows, decoded together: by themselves each took twice as long.
 * @returns undefined for a row that cannot be decoded
 */
export function decodedRows(cells: readonly unknown[]): readonly (readonly unknown[] | undefined)[] {
  try {
    return listIn(strict.decode(joined(cells.map(bytesOf)))).map(listOf);
  } catch {
    return cells.map((cell) => {
      try {
        return listIn(strict.decode(bytesOf(cell)));
      } catch {
        return undefined;
      }
    });
  }
}

/** As a JSON array. */
function joined(texts: readonly Uint8Array[]): Uint8Array {
  const all = Buffer.allocUnsafe(texts.reduce((sum, { length }) => sum + length + 1, 1));
  let at = 0;
  for (const text of texts) {
    all[at] = at === 0 ? open : comma;
    all.set(text, at + 1);
    at += text.length + 1;
  }
  all[at] = close;
  return all;
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
  return listOf(JSON.parse(text));
}

function listOf(list: unknown): unknown[] {
  if (Array.isArray(list)) return list;
  throw new TypeError(`${packedName} must be a list`);
}

export interface Field<T> {
  /** Name of its column in the result. */
  readonly column: string;
  /** The selected expression, unless it is the plain column. */
  readonly sql?: string;
  readonly kind: "text" | "number" | "bytes";
  /** Of a column of the schema. */
  readonly table?: string;
  /** Whether it identifies the row of its table. */
  readonly isKey?: boolean;
  /** @throws TypeError if the cell does not match the schema; the message contains nothing of the cell */
  read(cell: unknown): T;
}
