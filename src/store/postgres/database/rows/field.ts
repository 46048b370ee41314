/** One selected column or expression, and how its cell is read. */

export interface Field<T> {
  /** Name of its column. */
  readonly column: string;
  /** The selected expression, unless it is the plain column. */
  readonly sql?: string;
  /** Of a column of the schema. */
  readonly table?: string;
  /** Whether it identifies the row of its table. */
  readonly isKey?: boolean;
  /** @throws TypeError if the cell does not match the schema; the message contains nothing of the cell */
  read(cell: unknown): T;
}
