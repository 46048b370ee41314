/** A field of a row, as the schema or an expression has it. */
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
