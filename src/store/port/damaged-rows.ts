/** Rows that do not match the schema: damaged on the disk, or changed by hand. */
export interface DamagedRow {
  readonly table: string;
  /** SQLite's number of the row in its table. */
  readonly row: number;
  /** What identifies it; null if that cannot be read. */
  readonly key: string | null;
  /** A column and what it must be; nothing of its content. */
  readonly reason: string;
}

export interface DamagedRows {
  readonly total: number;
  readonly rows: readonly DamagedRow[];
}
