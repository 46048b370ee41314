/** The inventory in the database: pages of changes, and writes guarded by the revision they are based on. */

import type { EntryKind } from "../../../api/inventory/inventory.ts";
import { yieldToEventLoop } from "../../../base/time/yield.ts";
import type {
  InventoryStore,
  InventoryWrite,
  NewAuditEntry,
  NewInventoryEntry,
  StoredInventoryEntry,
} from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, number, orNull, rowShape, text } from "../../sql/rows.ts";
import { givenTable, type Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { inventoryDevices, inventoryGroups, inventoryState } from "../../tables.ts";
import { whoOf } from "../trail/audit.ts";

const tables = {
  device: { name: "inventory_devices", own: inventoryDevices.own, given: entryOf(inventoryDevices) },
  group: { name: "inventory_groups", own: inventoryGroups.own, given: entryOf(inventoryGroups) },
} as const;

type OwnColumn = (typeof tables)[EntryKind]["own"];

function entryOf(table: typeof inventoryDevices | typeof inventoryGroups) {
  return written(table, "name", "hostKey", "group", "source", "own");
}

const stateRow = rowShape(fieldsOf(inventoryState, "revision"));
/** An empty page still has one row: that of the state. */
function pageRow(table: typeof inventoryDevices | typeof inventoryGroups) {
  const { name, hostKey, group, source, changedAt, own } = fieldsOf(table, ...namesBut(table, "revision"));
  return rowShape({
    now: number("now", "state.revision"),
    purged: number("purged"),
    key: orNull(name),
    hostKey: orNull(hostKey),
    group,
    source,
    changedAt: orNull(changedAt),
    revision: orNull(number("entry_revision")),
    own,
  });
}
const pageRows = { device: pageRow(inventoryDevices), group: pageRow(inventoryGroups) };
type PageRow = ReturnType<typeof pageRows.device.read>[number];
const tokenRow = rowShape({ token: text("token") });

/** Timeout for the caller, plus a millisecond per row. */
const patienceMs = 5_000;
const rowsAtOnce = 100;
const charsAtOnce = 1024 * 1024;
const stretchMs = 10;
/** Nodes that were away for longer read everything again. */
const removedMs = 3_600_000;
const tokensKept = 100;
const isExpected = "(select revision from inventory_state) = :expected";

export function createInventoryStore(database: Database, makeId: () => string): InventoryStore {
  const { cipher, clock } = database;

  async function rowsOf(
    kind: EntryKind,
    entries: readonly NewInventoryEntry[],
    { expected }: InventoryWrite,
    at: number,
  ): Promise<Statement[]> {
    const { name, given } = tables[kind];
    const statements: Statement[] = [];
    let since = performance.now();
    for (const part of partsOf(entries)) {
      const rows = givenTable(
        "given",
        given.types,
        part.map((entry) => given.values(cipher, { ...entry, name: entry.key })),
      );
      statements.push({
        sql: `with ${rows.definition}
insert into ${name} (${given.columns}, changed_at, revision)
select ${given.columns}, :at, :expected + 1 from given where ${isExpected}
on conflict (name) do update set host_key = excluded.host_key, group_name = excluded.group_name,
  source = excluded.source, changed_at = excluded.changed_at, revision = excluded.revision, own = excluded.own`,
        args: { ...rows.args, at, expected },
      });
      if (performance.now() - since < stretchMs) continue;
      await yieldToEventLoop();
      since = performance.now();
    }
    return statements;
  }

  function storedEntry({ key, hostKey, own, ...row }: PageRow, column: OwnColumn): StoredInventoryEntry[] {
    if (key === null) return [];
    const text = own === null ? null : (cipher.tryOpen(own, placeOf(column, key)) ?? null);
    const { group, source, changedAt, revision } = row;
    const times = { changedAt: changedAt ?? 0, revision: revision ?? 0 };
    const damaged = own !== null && text === null;
    return [{ key, hostKey: hostKey ?? "", group, source, ...times, own: text, damaged }];
  }

  return {
    async revision() {
      const sql = `select ${stateRow.columns} from inventory_state`;
      const [state] = await database.select(stateRow, { sql, args: {} });
      return state?.revision ?? 0;
    },

    async changed(kind, behind, limit) {
      const { name: table, own } = tables[kind];
      const shape = pageRows[kind];
      for (let most = limit; ; ) {
        const answer = await database.read({
          sql: `select ${shape.columns} from inventory_state as state left join (
  select name, host_key, group_name, source, changed_at, revision as entry_revision, own from ${table}
  where (revision, name) > (:revision, :name) order by revision, name limit :limit
) t1 on true order by entry_revision, name`,
          // Sorts after all names, if no key is given.
          args: { revision: behind.revision, name: behind.key ?? "\u{10ffff}", limit: most },
        });
        const { rows, damaged } = database.readable(shape, answer);
        const entries = rows.flatMap((row) => storedEntry(row, own));
        const lost = damaged.flatMap(({ fields }) => damagedEntry(fields));
        const nameless = damaged.length - lost.length;
        const some = { ...damaged[0]?.fields, ...rows[0] };
        // Fewer entries than asked for are the end, so others are read in place of those without a name.
        if (nameless === 0 || entries.length + lost.length >= limit || rows.length + damaged.length < most)
          return {
            revision: some.now ?? 0,
            purged: some.purged ?? 0,
            entries: inOrder([...entries, ...lost]).slice(0, limit),
          };
        most = limit + nameless;
      }
    },

    async write(write) {
      const at = clock.wall();
      const { expected, devices, groups } = write;
      const token = makeId();
      const statements = [
        ...auditOf(write, at),
        ...(await rowsOf("group", groups, write, at)),
        ...(await rowsOf("device", devices, write, at)),
        ...purge(expected, at - removedMs),
        {
          sql: `insert into inventory_writes (revision, token) select :expected + 1, :token where ${isExpected}`,
          args: { expected, token },
        },
        {
          sql: "delete from inventory_writes where revision <= :expected - :kept",
          args: { expected, kept: tokensKept },
        },
        {
          sql: "update inventory_state set revision = :expected + 1 where revision = :expected",
          args: { expected },
        },
        {
          sql: `select ${tokenRow.columns} from inventory_writes where revision = :expected + 1`,
          args: { expected },
        },
      ];
      const rows = devices.length + groups.length + write.audit.length;
      const answers = await database.write(statements, { patienceMs: patienceMs + rows });
      const [made] = tokenRow.read(answers.at(-1));
      return made?.token === token ? expected + 1 : undefined;
    },
  };
}

function damagedEntry({ key, hostKey, revision, changedAt }: Partial<PageRow>): StoredInventoryEntry[] {
  if (!key || revision === undefined || revision === null) return [];
  const place = { key, hostKey: hostKey ?? "", changedAt: changedAt ?? 0, revision };
  return [{ ...place, group: null, source: null, own: null, damaged: true }];
}

/** As the database orders them. */
function inOrder(entries: StoredInventoryEntry[]): StoredInventoryEntry[] {
  const byName = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  return entries.sort((a, b) => a.revision - b.revision || byName(a.key, b.key));
}

/** Entries of one statement: a large group is one by itself. */
function* partsOf(entries: readonly NewInventoryEntry[]): Generator<NewInventoryEntry[]> {
  let part: NewInventoryEntry[] = [];
  let chars = 0;
  for (const entry of entries) {
    const length = entry.own?.length ?? 0;
    if (part.length === rowsAtOnce || (part.length > 0 && chars + length > charsAtOnce)) {
      yield part;
      part = [];
      chars = 0;
    }
    part.push(entry);
    chars += length;
  }
  if (part.length > 0) yield part;
}

/**
 * Deletes rows of removed entries that other nodes no longer need. The index by time is named because the planner would
 * read the whole index by revision.
 */
function purge(expected: number, before: number): Statement[] {
  const lastRemoved = (table: string) =>
    `coalesce((select max(+revision) from ${table} where own is null and changed_at < :before), 0)`;
  const { device, group } = tables;
  return [
    {
      sql: `update inventory_state set purged = greatest(purged, ${lastRemoved(device.name)}, ${lastRemoved(group.name)})
where revision = :expected`,
      args: { expected, before },
    },
    ...[device, group].map(({ name }) => ({
      sql: `delete from ${name} where own is null and changed_at < :before and ${isExpected}`,
      args: { expected, before },
    })),
  ];
}

function auditOf({ expected, by, audit }: InventoryWrite, at: number): Statement[] {
  const statements: Statement[] = [];
  for (let start = 0; start < audit.length; start += rowsAtOnce)
    statements.push(auditStatement(audit.slice(start, start + rowsAtOnce), { expected, by }, at));
  return statements;
}

function auditStatement(
  entries: readonly Omit<NewAuditEntry, "caller">[],
  { expected, by }: Pick<InventoryWrite, "expected" | "by">,
  at: number,
): Statement {
  const rows = givenTable(
    "given",
    { action: "text", host: "text", outcome: "text", detail: "text" },
    entries.map((entry) => ({
      action: entry.action,
      host: entry.host ?? null,
      outcome: entry.outcome,
      detail: entry.detail ?? null,
    })),
  );
  return {
    sql: `with ${rows.definition}
insert into audit (at, ended_at, who, from_address, action, host, outcome, detail)
select :at, :at, :who, :from, action, host, outcome, detail from given where ${isExpected}`,
    args: { ...rows.args, at, who: whoOf(by), from: by.from, expected },
  };
}
