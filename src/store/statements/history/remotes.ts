/** Git repositories that versions are pushed to, in the database. */
import { remoteLimits } from "../../../api/history/history-remote.ts";
import type { ConfigRemotes, NewAuditEntry } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import { fieldsOf, number, rowShape } from "../../sql/rows.ts";
import type { Args } from "../../sql/statement.ts";
import { namesBut } from "../../tables/columns.ts";
import { configNames, configRemotes } from "../../tables.ts";
import { holderTerms, writerFields } from "../jobs/listing.ts";
import { addEntry } from "../trail/audit.ts";
import { versionRow } from "./history.ts";

const owner = "config_remotes.owner";
const fields = fieldsOf(configRemotes, ...namesBut(configRemotes, "nextT"));
const remoteRow = rowShape(fields);
const listedRow = rowShape({ ...fields, ...writerFields(owner) });
const keyRow = rowShape(fieldsOf(configRemotes, "name"));
const nameRow = rowShape(fieldsOf(configNames, ...namesBut(configNames)));
const countRow = rowShape({ count: number("count", "count(*)") });
const newestRow = rowShape({
  n: number("n", "coalesce((select max(n) from config_versions where state = 'good'), 0)"),
});

/** A version that was older than another one of its device and part when it was stored: imported later. */
const isExported = `v.state = 'good' and not exists (select 1 from config_versions newer
  where newer.device = v.device and newer.part = v.part and newer.state = 'good'
  and newer.taken_at > v.taken_at and newer.n < v.n)`;

export function createRemotes(database: Database): ConfigRemotes {
  const { clock } = database;
  const readable = (where: string, args: Args) =>
    database.list(listedRow, {
      sql: `select ${listedRow.columns} from config_remotes ${where} order by name`,
      args,
    });

  return {
    list(condition) {
      const { sql, args } = holderTerms(owner, condition);
      return readable(`where ${["true", ...sql].join(" and ")}`, args);
    },

    async get(name) {
      const [remote] = await readable("where name = :name", { name });
      return remote;
    },

    async put({ name, own, owner }, by) {
      const key = { name };
      const hasRoom = `(exists (select 1 from config_remotes where name = :name)
  or (select count(*) from config_remotes) < :most)`;
      const room = { ...key, most: remoteLimits.most };
      const entry: NewAuditEntry = { caller: by, action: "history.remote.put", outcome: "put", detail: name };
      const [was, , put] = await database.write([
        { sql: `select ${keyRow.columns} from config_remotes where name = :name`, args: key },
        addEntry(database, entry, { sql: hasRoom, args: room }),
        {
          sql: `insert into config_remotes (name, own, owner, changed_at)
select :name, :own, :owner, :at where ${hasRoom} on conflict (name) do update set own = excluded.own,
  owner = excluded.owner, changed_at = excluded.changed_at, next_t = 0, failing_since = null, failures = 0,
  error = null, pushed_n = case when config_remotes.own = excluded.own then config_remotes.pushed_n else 0 end`,
          args: { ...room, own, owner, at: clock.wall() },
        },
      ]);
      if ((put?.changes ?? 0) === 0) return "full";
      return keyRow.read(was).length === 0 ? "added" : "changed";
    },

    async remove(name, by) {
      const args = { name };
      const entry: NewAuditEntry = {
        caller: by,
        action: "history.remote.remove",
        outcome: "removed",
        detail: name,
      };
      const [, removed] = await database.write([
        addEntry(database, entry, { sql: "exists (select 1 from config_remotes where name = :name)", args }),
        { sql: "delete from config_remotes where name = :name", args },
      ]);
      return (removed?.changes ?? 0) > 0;
    },

    async claim(forMs, name) {
      const due = name === undefined ? `next_t <= ${steadyNow} and pushed_n < ${newestGood}` : "name = :name";
      const [claimed] = await database.write([
        {
          sql: `update config_remotes set next_t = ${steadyNow} + :for_ms where name = (
  select name from config_remotes where ${due} order by next_t limit 1) returning ${remoteRow.columns}`,
          args: { for_ms: forMs, ...(name === undefined ? {} : { name }) },
        },
      ]);
      return database.readable(remoteRow, claimed).rows[0];
    },

    async settle({ name, own, pushedN, head, error, againMs }) {
      await database.write([
        {
          sql:
            error === undefined
              ? `update config_remotes set pushed_n = :n, head = :head, pushed_at = :at, failing_since = null,
  failures = 0, error = null, next_t = ${steadyNow} + :again where name = :name and own = :own`
              : `update config_remotes set error = :error, failures = failures + 1,
  failing_since = coalesce(failing_since, :at), next_t = ${steadyNow} + :again where name = :name and own = :own`,
          args: {
            ...{ name, own, at: clock.wall(), again: againMs },
            ...(error === undefined ? { n: pushedN ?? 0, head: head ?? null } : { error }),
          },
        },
      ]);
    },

    async newestN() {
      const [row] = await database.select(newestRow, { sql: `select ${newestRow.columns}`, args: {} });
      return row?.n ?? 0;
    },

    async countAfter(n) {
      const [row] = await database.select(countRow, {
        sql: `select ${countRow.columns} from config_versions where n > :n and state = 'good'`,
        args: { n },
      });
      return row?.count ?? 0;
    },

    exported: (afterN, limit) =>
      database.page(versionRow, limit, (most) => ({
        sql: `select ${versionRow.columns} from config_versions v where n > :after and ${isExported} order by n limit :most`,
        args: { after: afterN, most },
      })),

    names: (devices) =>
      database.list(nameRow, {
        sql: `select ${nameRow.columns} from config_names
where device in :devices order by device, since`,
        args: { devices: [...new Set(devices)] },
      }),

    async isNameTaken({ device, since, shown, group }, upTo) {
      const [row] = await database.select(countRow, {
        sql: `select ${countRow.columns} from config_names where shown = :shown and group_name is not distinct from :group
  and device <> :device and since > :since and since <= :up_to`,
        args: { shown, group, device, since, up_to: upTo },
      });
      return (row?.count ?? 0) > 0;
    },

    async exportedBefore({ device, part, n }) {
      const [version] = await database.list(versionRow, {
        sql: `select ${versionRow.columns} from config_versions v
where device = :device and part = :part and n < :n and ${isExported} order by n desc limit 1`,
        args: { device, part, n },
      });
      return version;
    },
  };
}

const newestGood = "coalesce((select max(n) from config_versions where state = 'good'), 0)";
