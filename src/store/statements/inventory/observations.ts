/** Facts learned by connecting to devices, one row per device, merged from several nodes. */

import { withoutRepeats } from "../../batches.ts";
import type { NewObservation, Observations, StoredObservation } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, number, type RowShape, rowShape } from "../../sql/rows.ts";
import { givenTable, type Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { deviceFacts, hostKeys } from "../../tables.ts";

const sightingRow = rowShape(fieldsOf(deviceFacts, ...namesBut(deviceFacts)));
const given = written(deviceFacts, ...namesBut(deviceFacts, "factsAt", "revision"));
const keyRow = rowShape(fieldsOf(hostKeys, ...namesBut(hostKeys, "seenAt")));

const countRow = rowShape({ count: number("discovered", "count(*)") });

const rowsAtOnce = 500;
/** No caller waits for it. */
const patienceMs = 10_000;

export function createObservations(database: Database): Observations {
  const { cipher, clock } = database;

  function storedOf({ name, facts, ...row }: RowOf): StoredObservation {
    const text = facts === null ? null : (cipher.tryOpen(facts, placeOf(deviceFacts.facts, name)) ?? null);
    return { key: name, ...row, facts: text };
  }

  function upsert(observations: readonly NewObservation[], at: number): Statement {
    const rows = givenTable(
      "given",
      given.types,
      observations.map((observed) => given.values(cipher, { ...observed, name: observed.key })),
    );
    const next = "(select coalesce(max(revision), 0) + 1 from device_facts)";
    return {
      sql: `with ${rows.definition}
insert into device_facts (${given.columns}, facts_at, revision)
select ${given.columns}, case when facts is null then null else :at end,
  case when facts is null then null else ${next} end
from given where exists (
  select 1 from inventory_devices as device where device.name = given.name and device.own is not null
)
on conflict (name) do update set
  seen_at = nullif(greatest(coalesce(device_facts.seen_at, 0), coalesce(excluded.seen_at, 0)), 0),
  login_error = case when coalesce(excluded.login_failed_at, 0) >= coalesce(device_facts.login_failed_at, 0)
    then coalesce(excluded.login_error, device_facts.login_error) else device_facts.login_error end,
  login_failed_at = nullif(greatest(coalesce(device_facts.login_failed_at, 0), coalesce(excluded.login_failed_at, 0)), 0),
  facts_at = coalesce(excluded.facts_at, device_facts.facts_at),
  revision = coalesce(excluded.revision, device_facts.revision),
  facts = coalesce(excluded.facts, device_facts.facts)`,
      args: { ...rows.args, at },
    };
  }

  return {
    async write(observations) {
      const at = clock.wall();
      const statements: Statement[] = [];
      for (const group of withoutRepeats(observations, ({ key }) => key))
        for (let start = 0; start < group.length; start += rowsAtOnce)
          statements.push(upsert(group.slice(start, start + rowsAtOnce), at));
      if (statements.length > 0) await database.write(statements, { patienceMs });
    },

    async of(keys) {
      const rows = await database.list(sightingRow, {
        sql: `select ${sightingRow.columns} from device_facts
where name in :keys`,
        args: { keys },
      });
      return rows.map(storedOf);
    },

    async discovered(behind, limit) {
      const rows = await database.page(sightingRow, limit, (most) => ({
        sql: `select ${sightingRow.columns} from device_facts
where revision > :behind and revision <= coalesce((
  select revision from device_facts where revision > :behind order by revision limit 1 offset :limit
), 9223372036854775807) order by revision`,
        args: { behind, limit: most },
      }));
      return rows.map(storedOf);
    },

    async countDiscovered() {
      const sql = `select ${countRow.columns} from device_facts where revision is not null`;
      const [row] = await database.select(countRow, { sql, args: {} });
      return row?.count ?? 0;
    },

    async hostKeys(hosts) {
      return database.list(keyRow, {
        sql: `select ${keyRow.columns} from host_keys
where host in :hosts order by host, port, seen_at desc`,
        args: { hosts },
      });
    },
  };
}

type RowOf = typeof sightingRow extends RowShape<infer T> ? T : never;
