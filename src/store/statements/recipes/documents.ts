/** Documents by name with their versions: each is written in one transaction, from the version that was read. */
import type { Documents, NewAuditEntry } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { either } from "../../sql/notation.ts";
import { bytes, fieldsOf, number, rowShape } from "../../sql/rows.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import type { DocumentTable } from "../../tables/recipes.ts";
import { addEntry } from "../trail/audit.ts";

interface DocumentKind {
  /** In the audit trail, `recipe.put`; the table is its plural. */
  readonly noun: "recipe" | "template";
  /** How many names there may be. */
  readonly most: number;
  /** How many versions are kept of one. */
  readonly versions: number;
}

/** Intents may name it: what did not change since costs nothing. */
const comparedAnew = {
  sql: `insert into drift_due (device, mark) select distinct device, 1 from drift_results where true
on conflict (device) do update set mark = drift_due.mark + 1, taken_t = 0`,
  args: {},
};

const noBytes = either("x''", "''::bytea");

export function createDocuments(
  database: Database,
  table: DocumentTable,
  { noun, most, versions }: DocumentKind,
): Documents {
  const { cipher, clock } = database;
  const stored = `${noun}s`;
  const heads = fieldsOf(table, ...namesBut(table, "document", "listed"));
  const headRow = rowShape(heads);
  const documentRow = rowShape({ ...heads, document: bytes("document", "document") });
  // Empty: there is none.
  const listedRow = rowShape({
    ...heads,
    listed: bytes("listed", `coalesce(listed, ${noBytes})`),
    document: bytes("document", `case when listed is null then document else ${noBytes} end`),
  });
  const nameRow = rowShape(fieldsOf(table, "name"));
  // A name that is used again goes on behind what was removed: what names a version never gets another text.
  const removed = `(select coalesce(max(cast(value as bigint)), 0) from meta
  where key in ('${stored}.removed', '${stored}.removed:' || :name))`;
  const allRemoved = `from meta where key >= '${stored}.removed' and key < '${stored}.removed;'`;
  const versionRow = rowShape({
    version: number("version", "coalesce(max(version), 0)"),
    removed: number("removed", removed),
  });
  const newDocument = written(table, ...namesBut(table));
  const inForce = `version = (select max(version) from ${stored} newest where newest.name = ${stored}.name)`;
  const current = `(select coalesce(max(version), 0) from ${stored} where name = :name)`;

  const opened = (
    column: "document" | "listed",
    {
      name,
      version,
      [column]: sealed,
    }: { name: string; version: number; document?: Buffer; listed?: Buffer },
  ) =>
    sealed === undefined || sealed.length === 0
      ? undefined
      : cipher.tryOpen(sealed, placeOf(table[column], name, String(version)));

  return {
    async put(name, { document, listed, source, revision }, by, expected) {
      const now = await database.select(versionRow, {
        sql: `select ${versionRow.columns} from ${stored} where name = :name`,
        args: { name },
      });
      const before = now[0]?.version ?? 0;
      if (expected !== undefined && before !== (expected ?? 0)) return "moved";
      const version = (before || (now[0]?.removed ?? 0)) + 1;
      const may = `${current} = :before and (:before > 0 or
  (select count(distinct name) from ${stored}) < ${most})`;
      const args = { name, before };
      const entry: NewAuditEntry = {
        caller: by,
        action: `${noun}.put`,
        outcome: "put",
        detail: `${name}: version ${version}${source === undefined ? "" : ` from the source ${source}`}`,
      };
      const values = newDocument.values(cipher, {
        ...{ name, version, document, listed, source, revision },
        ...{ changedAt: clock.wall(), who: by.name },
      });
      const [, , , after] = await database.write([
        addEntry(database, entry, { sql: may, args }),
        {
          sql: `insert into ${stored} (${newDocument.columns}) select ${newDocument.parameters} where ${may} on conflict do nothing`,
          args: { ...values, before },
        },
        {
          sql: `delete from ${stored} where name = :name and version <= :last`,
          args: { name, last: version - versions },
        },
        {
          sql: `select ${documentRow.columns} from ${stored} where name = :name and ${inForce}`,
          args: { name },
        },
        ...(noun === "template" ? [comparedAnew] : []),
      ]);
      const [found] = documentRow.read(after);
      if (found?.version === version && opened("document", found) === document)
        return { version, added: before === 0 };
      return before === 0 && found === undefined ? "full" : "moved";
    },

    async list() {
      const sql = `select ${listedRow.columns} from ${stored} where ${inForce} order by name`;
      return (await database.list(listedRow, { sql, args: {} })).map((row) => ({
        ...row,
        listed: opened("listed", row),
        document: opened("document", row),
      }));
    },

    async find(name, version) {
      const which = version === undefined ? inForce : "version = :version";
      const sql = `select ${documentRow.columns} from ${stored} where name = :name and ${which}`;
      const args = { name, ...(version === undefined ? {} : { version }) };
      const [row] = await database.list(documentRow, { sql, args });
      return row && { ...row, document: opened("document", row) };
    },

    versions: (name) =>
      database.list(headRow, {
        sql: `select ${headRow.columns} from ${stored} where name = :name order by version desc`,
        args: { name },
      }),

    async remove(name, by, expected) {
      const args = { name, expected: expected ?? null };
      const isIt = `${current} > 0 and (:expected is null or ${current} = :expected)`;
      const entry: NewAuditEntry = { caller: by, action: `${noun}.remove`, outcome: "removed", detail: name };
      const [, , , , gone] = await database.write([
        addEntry(database, entry, { sql: isIt, args }),
        // Of very many removed names only the highest version is known: a new name goes on behind that.
        {
          sql: `insert into meta (key, value) select '${stored}.removed', highest from (
  select max(cast(value as bigint)) highest, count(*) known ${allRemoved}
) t1 where known > ${most} on conflict (key) do update set value = excluded.value`,
          args: {},
        },
        {
          sql: `delete from meta where key > '${stored}.removed' and key < '${stored}.removed;'
  and (select count(*) ${allRemoved}) > ${most}`,
          args: {},
        },
        {
          sql: `insert into meta (key, value) select '${stored}.removed:' || :name, ${current} where ${isIt}
on conflict (key) do update set value = excluded.value`,
          args,
        },
        { sql: `delete from ${stored} where name = :name and ${isIt} returning ${nameRow.columns}`, args },
      ]);
      return (gone?.rows.length ?? 0) > 0;
    },
  };
}
