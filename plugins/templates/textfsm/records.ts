/** Converts rows to objects; `__proto__` is an ordinary key. */

export function toRecords<Cell>(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
): Record<string, Cell>[] {
  const unusual = header.includes("__proto__");
  return rows.map((cells) => {
    const record: Record<string, Cell> = unusual ? Object.create(null) : {};
    for (let column = 0; column < header.length; column++) {
      const cell = cells[column];
      if (cell !== undefined) record[header[column] ?? ""] = cell;
    }
    return record;
  });
}
