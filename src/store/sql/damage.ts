/** Rows that do not match the schema: a bad block, or a hand in the database. */
import { messageOf, ServiceError } from "../../base/errors.ts";
import type { Field } from "./packed.ts";

export interface Damage<T = object> {
  /** Undefined: of an expression. */
  readonly table: string | undefined;
  /** What identifies the row, if it was read and is readable; never more than 200 characters. */
  readonly key: string | undefined;
  /** The column and what is wrong with it, without its content. */
  readonly reason: string;
  /** The fields that can be read. */
  readonly fields: Partial<T>;
  error(): ServiceError;
}

const maxKey = 200;

/** @param fields in the order of the cells */
export function damagedRow<T>(
  fields: readonly (readonly [name: string, field: Field<unknown>])[],
  cells: readonly unknown[],
): Damage<T> {
  const readable: Record<string, unknown> = {};
  const keys: string[] = [];
  let first: { readonly table: string | undefined; readonly reason: string } | undefined;
  for (const [index, [name, field]] of fields.entries()) {
    const cell = cells[index];
    try {
      if (field.kind === "text" && cell instanceof Uint8Array)
        throw new TypeError(`${field.column} must be UTF-8`);
      readable[name] = field.read(cell);
    } catch (error) {
      first ??= { table: field.table, reason: messageOf(error) };
    }
  }
  const table = first?.table ?? fields.find(([, field]) => field.table !== undefined)?.[1].table;
  for (const [name, field] of fields)
    if (field.isKey === true && field.table === table && readable[name] !== undefined)
      keys.push(String(readable[name]));
  const key = keys.length === 0 ? undefined : keys.join("/").slice(0, maxKey);
  const reason = first?.reason ?? "it cannot be read";
  // Each field was read by its own reader just above.
  return { table, key, reason, fields: readable as Partial<T>, error: () => damagedError(table, reason) };
}

/** Without the key: the caller may not know the row. */
function damagedError(table: string | undefined, reason: string): ServiceError {
  const where = table === undefined ? "" : ` of the table ${table}`;
  const message = `A stored row${where} is damaged (${reason}): \`patchbay doctor\` names it.`;
  return new ServiceError("Internal", message);
}
