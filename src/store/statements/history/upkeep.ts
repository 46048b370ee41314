/** The history as a whole: renamed and forgotten devices, versions made elsewhere, retention and sums. */

import type { MakeId } from "../../id.ts";
import type { ConfigHistory, ImportedVersion, NewConfigDevice } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, number, orNull, rowShape } from "../../sql/rows.ts";
import type { Args, Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut } from "../../tables/columns.ts";
import { configDevices, configTexts, configVersions } from "../../tables.ts";
import { addEntry } from "../trail/audit.ts";

/** Versions that are deleted in one transaction. */
const pruneAtOnce = 200;
/** No caller waits for it. */
const patienceMs = 10_000;

const doomedRow = rowShape(fieldsOf(configVersions, "n", "device"));
const originRow = rowShape(fieldsOf(configVersions, "origin"));
const idRow = rowShape(fieldsOf(configDevices, "id"));
const deviceRow = rowShape(fieldsOf(configDevices, ...namesBut(configDevices)));
const bytesRow = rowShape({
  bytes: number("bytes", "coalesce(sum(length(body) + coalesce(length(secrets), 0)), 0)"),
});

const isKnown = `exists (select 1 from inventory_devices entry
  where entry.name = config_devices.name and entry.own is not null)`;
/** Of a suspect version `v`: no good text was read after it. */
export const isUnanswered = `v.seen_at > coalesce((select good.seen_at from config_versions good
    where good.device = v.device and good.part = v.part and good.state = 'good'
    order by good.taken_at desc, good.n desc limit 1), 0)`;
const isSuspect = `exists (select 1 from config_versions v where v.state = 'suspect' and v.device = config_devices.id
  and ${isUnanswered})`;
/** Few: read from their index, not by device. */
export const suspectIds = "select device from config_versions where state = 'suspect'";
const countOf = (where: string) => `(select count(*) from config_devices where ${where} and ${isKnown})`;
const summaryRow = rowShape({
  devices: number("devices", "(select count(*) from config_devices)"),
  versions: number("versions", "(select count(*) from config_versions)"),
  suspects: number("suspects", countOf(`id in (${suspectIds}) and ${isSuspect}`)),
  unsaved: number("unsaved", countOf("unsaved")),
  failed: number("failed", countOf("failed_at is not null")),
  oldestGoodAt: orNull(
    number(
      "oldest_good_at",
      `(select min(taken_at) from config_devices where taken_at is not null and ${isKnown})`,
    ),
  ),
});

const newText = written(configTexts, "id", "device", "part", "base", "secrets");
const newVersion = written(
  configVersions,
  ...([
    "device",
    "part",
    "version",
    "state",
    "reason",
    "takenAt",
    "seenAt",
    "source",
    "origin",
    "who",
  ] as const),
  ...(["note", "textId", "compare", "lines", "bytes", "added", "removed"] as const),
);

/** Of devices given as `:devices`: what no version has, and what no other text differs from, but not the newest whole one. */
const unused = `device in :devices
  and not exists (select 1 from config_versions where text_id = config_texts.id)
  and not exists (select 1 from config_texts other where other.base = config_texts.id)
  and not (base is null and id = (select max(id) from config_texts whole
    where whole.device = config_texts.device and whole.part = config_texts.part and whole.base is null))`;

type Upkeep = Pick<
  ConfigHistory,
  "rename" | "origins" | "add" | "prune" | "forget" | "summary" | "stale" | "suspects" | "bytes"
>;

export function createUpkeep(database: Database, makeId: MakeId): Upkeep {
  const { cipher } = database;

  async function idOf(name: string): Promise<number | undefined> {
    const [row] = await database.list(idRow, {
      sql: `select ${idRow.columns} from config_devices where name = :name`,
      args: { name },
    });
    return row?.id;
  }

  function put({ name, host, group, platform }: NewConfigDevice): Statement {
    return {
      sql: `insert into config_devices (name, shown, host, group_name, platform)
values (:name, :shown, :host, :group, :platform) on conflict (name) do nothing`,
      args: { name: name.toLowerCase(), shown: name, host, group, platform },
    };
  }

  /** Nothing if the device and part already have one of this origin. */
  function addVersion(device: number, version: ImportedVersion): Statement[] {
    const { text, takenAt, note, ...given } = version;
    const id = makeId();
    const row = { id, device, part: version.part, base: text.base, secrets: text.secrets };
    const args: Args = { ...newText.values(cipher, row), body: text.body, origin: version.origin };
    const known =
      "select 1 from config_versions where device = :device and part = :part and origin = :origin";
    const values = newVersion.values(cipher, {
      ...given,
      ...{ device, version: 0, takenAt, seenAt: takenAt, source: "import", note, textId: id },
    });
    return [
      {
        sql: `insert into config_texts (${newText.columns}, body)
select ${newText.parameters}, :body where not exists (${known})`,
        args,
      },
      {
        sql: `insert into config_versions (${newVersion.columns})
select ${newVersion.names
          .map((name) =>
            name === "version"
              ? "coalesce((select max(version) from config_versions where device = :device and part = :part), 0) + 1"
              : `:${name}`,
          )
          .join(", ")}
where exists (select 1 from config_texts where id = :text_id) on conflict do nothing`,
        args: values,
      },
    ];
  }

  return {
    async origins(name, part, origins) {
      const rows = await database.list(originRow, {
        sql: `select ${originRow.columns} from config_versions
where device = (select id from config_devices where name = :name) and part = :part
  and origin in :origins`,
        args: { name, part, origins },
      });
      return rows.flatMap(({ origin }) => (origin === null ? [] : [origin]));
    },

    async add(device, versions) {
      if (versions.length === 0) return 0;
      await database.write([put(device)], { patienceMs });
      const id = await idOf(device.name.toLowerCase());
      if (id === undefined) return 0;
      const results = await database.write(
        versions.flatMap((version) => addVersion(id, version)),
        { patienceMs },
      );
      return results.reduce((sum, { changes }, at) => sum + (at % 2 === 1 ? changes : 0), 0);
    },

    async rename(name, { name: shown, host, group, platform }, by) {
      const to = shown.toLowerCase();
      const args = { name, to };
      const may = "exists (select 1 from config_devices where name = :name)";
      const isFree = "(:name = :to or not exists (select 1 from config_devices where name = :to))";
      const [, renamed] = await database.write([
        addEntry(
          database,
          { caller: by, action: "history.rename", outcome: "done", detail: `${name} to ${shown}` },
          { sql: `${may} and ${isFree}`, args },
        ),
        {
          sql: `update config_devices set name = :to, shown = :shown, host = :host, group_name = :group,
  platform = :platform where name = :name and ${isFree}`,
          args: { ...args, shown, host, group, platform },
        },
      ]);
      if ((renamed?.changes ?? 0) > 0) return "renamed";
      return (await idOf(name)) === undefined ? "gone" : "taken";
    },

    async prune({ days, versions }) {
      const before = database.clock.wall() - days * 86_400_000;
      const doomed = await database.list(doomedRow, {
        sql: `select ${doomedRow.columns} from config_versions where n in (
  select n from config_versions v where seen_at < :before and n <> coalesce((
    select n from config_versions good where good.device = v.device and good.part = v.part and good.state = 'good'
    order by taken_at desc, n desc limit 1), 0) order by seen_at limit ${pruneAtOnce})
union all select ${doomedRow.columns} from config_versions where n in (
  select n from (select n, state, row_number() over (partition by device, part order by taken_at desc, n desc) as place
    from config_versions where (device, part) in (
      select device, part from config_versions group by device, part having count(*) > :versions)) t1
  where place > :versions limit ${pruneAtOnce})`,
        args: { before, versions },
      });
      if (doomed.length === 0) return 0;
      const ns = { ns: doomed.map(({ n }) => n) };
      const devices = { devices: [...new Set(doomed.map(({ device }) => device))] };
      const [deleted] = await database.write(
        [
          { sql: "delete from config_versions where n in :ns", args: ns },
          { sql: `delete from config_texts where base is not null and ${unused}`, args: devices },
          { sql: `delete from config_texts where base is null and ${unused}`, args: devices },
        ],
        { essential: true, patienceMs },
      );
      return deleted?.changes ?? 0;
    },

    async forget(name, by) {
      const device = "(select id from config_devices where name = :name)";
      const args = { name };
      const [, , , deleted] = await database.write(
        [
          addEntry(
            database,
            { caller: by, action: "history.delete", outcome: "done", detail: name },
            { sql: "exists (select 1 from config_devices where name = :name)", args },
          ),
          { sql: `delete from config_versions where device = ${device}`, args },
          { sql: `delete from config_texts where device = ${device}`, args },
          { sql: "delete from config_devices where name = :name", args },
          { sql: "delete from config_due where name = :name", args },
        ],
        { essential: true, patienceMs },
      );
      return (deleted?.changes ?? 0) > 0;
    },

    async summary() {
      const [row] = await database.select(summaryRow, { sql: `select ${summaryRow.columns}`, args: {} });
      if (row === undefined) throw new TypeError("a select without a table has one row");
      return { ...row, oldestGoodAt: row.oldestGoodAt ?? undefined };
    },

    stale: (before, limit) =>
      database.list(deviceRow, {
        sql: `select ${deviceRow.columns} from config_devices
where (failed_at is not null or taken_at < :before) and ${isKnown} order by coalesce(taken_at, 0), name limit :limit`,
        args: { before, limit },
      }),

    suspects: (limit) =>
      database.list(deviceRow, {
        sql: `select ${deviceRow.columns} from config_devices
where id in (${suspectIds}) and ${isSuspect} and ${isKnown} order by name limit :limit`,
        args: { limit },
      }),

    async bytes() {
      const [row] = await database.select(bytesRow, {
        sql: `select ${bytesRow.columns} from config_texts`,
        args: {},
      });
      return row?.bytes ?? 0;
    },
  };
}
