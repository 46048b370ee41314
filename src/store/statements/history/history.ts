/** The history of configurations: what is stored of devices, their versions and texts. */
import { randomBytes } from "node:crypto";
import type { MakeId } from "../../id.ts";
import type { ConfigHistory, DeviceCondition, DeviceHeads, StoredConfigText } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { joinInOrder } from "../../sql/notation.ts";
import { fieldsOf, number, rowShape } from "../../sql/rows.ts";
import type { Args } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { configDevices, configMarks, configTexts, configVersions } from "../../tables.ts";
import { addEntry } from "../trail/audit.ts";
import { createDue } from "./due.ts";
import { createUpkeep, isUnanswered, suspectIds } from "./upkeep.ts";

const deviceRow = rowShape(fieldsOf(configDevices, ...namesBut(configDevices)));
const nameRow = rowShape(fieldsOf(configDevices, "name"));
export const versionRow = rowShape(fieldsOf(configVersions, ...namesBut(configVersions)));
const textRow = rowShape(fieldsOf(configTexts, ...namesBut(configTexts)));
const bodyRow = rowShape(fieldsOf(configTexts, "id", "base", "body"));
const searchedRow = rowShape(fieldsOf(configVersions, "device", "n", "textId", "bytes"));
const searchedDeviceRow = rowShape({
  ...fieldsOf(configVersions, "device", "n", "textId", "bytes"),
  ...fieldsOf(configDevices, "name", "host"),
});
const goodCountRow = rowShape({ device: number("device"), good: number("good", "count(*)") });
const markRow = rowShape(fieldsOf(configMarks, "mark"));
const mark = written(configMarks, "id", "mark");
const countRow = rowShape({ count: number("count", "count(*)") });
/** Each counted in an index of its own: a device may have ten thousand versions. */
const tallyRow = rowShape({
  device: number("device", "d.value"),
  good: number(
    "good",
    `(select count(*) from config_versions where device = d.value and part = 'running' and state = 'good')`,
  ),
  all: number(
    "all_of_it",
    "(select count(*) from config_versions where device = d.value and part = 'running')",
  ),
});
const suspectsRow = rowShape({ device: number("device"), suspects: number("suspects", "count(*)") });

const marksRow = "history";

const isRead = `exists (select 1 from config_versions
  where device = config_devices.id and part = 'running' and state = 'good')`;
/** Of devices that may be in a state: the rest of it is known from their versions. */
const mayBe: Readonly<Record<NonNullable<DeviceCondition["state"]>, string>> = {
  missing: `not ${isRead}`,
  suspect: `id in (${suspectIds})`,
  failed: "failed_at is not null",
  unsaved: "unsaved",
};

/** Rows per page of a list that is read as a whole. */
const atOnce = 500;

/** Of a person, `anna`, also by their keys: `anna/laptop`. */
const isOf = "(who = :who or substr(who, 1, length(:who) + 1) = :who || '/')";

export function createHistory(database: Database, makeId: MakeId): ConfigHistory {
  const { cipher } = database;

  function textOf({ body, secrets, ...row }: ReturnType<typeof textRow.read>[number]): StoredConfigText {
    const opened = secrets === null ? null : cipher.tryOpen(secrets, placeOf(configTexts.secrets, row.id));
    return { ...row, body, secrets: opened };
  }

  const versionsWhere = (where: string, args: Args, limit: number) =>
    database.page(versionRow, limit, (most) => ({
      sql: `select ${versionRow.columns} from config_versions where ${where} limit :most`,
      args: { ...args, most },
    }));

  const firstVersion = async (where: string, args: Args) => (await versionsWhere(where, args, 1))[0];

  const isGoodOf = "device = :device and part = :part and state = 'good'";
  const latestFirst = "order by taken_at desc, n desc";

  /** Texts with those that they differ from. */
  const withBases = (columns: string, ids: readonly string[]) => ({
    sql: `select ${columns} from config_texts where id in (
  select one.value from each(:ids) one
  union select base from config_texts where id in :ids and base is not null)`,
    args: { ids },
  });

  async function device(name: string) {
    const [row] = await database.list(deviceRow, {
      sql: `select ${deviceRow.columns} from config_devices where name = :name`,
      args: { name },
    });
    return row;
  }

  return {
    async markKey() {
      const read = () =>
        database.select(markRow, { sql: `select ${markRow.columns} from config_marks`, args: {} });
      let [row] = await read();
      if (row === undefined) {
        const made = { id: marksRow, mark: randomBytes(32).toString("hex") };
        await database.write([
          {
            sql: `insert into config_marks (${mark.columns}) values (${mark.parameters}) on conflict do nothing`,
            args: mark.values(cipher, made),
          },
        ]);
        [row] = await read();
      }
      return cipher.open(row?.mark ?? Buffer.alloc(0), placeOf(configMarks.mark, marksRow));
    },

    device,

    async devices({ names, after = "", until, state }, limit) {
      const conditions = [
        "name > :after",
        ...(until === undefined ? [] : ["name <= :until"]),
        ...(names === undefined ? [] : ["name in :names"]),
        ...(state === undefined ? [] : [mayBe[state]]),
      ];
      const rows = await database.page(deviceRow, limit, (most) => ({
        sql: `select ${deviceRow.columns} from config_devices where ${conditions.join(" and ")} order by name limit :most`,
        args: {
          ...{ after, most },
          ...(until === undefined ? {} : { until }),
          ...(names === undefined ? {} : { names }),
        },
      }));
      if (rows.length === 0) return [];
      const ids = rows.map(({ id }) => id);
      const tallies = await database.list(tallyRow, {
        sql: `select ${tallyRow.columns} from each(:ids) d`,
        args: { ids },
      });
      const doubted = tallies.filter(({ good, all }) => all > good).map(({ device }) => device);
      const suspects =
        doubted.length === 0
          ? []
          : await database.list(suspectsRow, {
              sql: `select ${suspectsRow.columns} from config_versions v where part = 'running'
  and state = 'suspect' and device in :ids and ${isUnanswered} group by device`,
              args: { ids: doubted },
            });
      const latest = await database.list(versionRow, {
        sql: `select ${versionRow.columns} from config_versions where n in (
  select (select n from config_versions where device = given.value and part = 'running' and state = 'good'
    ${latestFirst} limit 1) from each(:ids) given)`,
        args: { ids },
      });
      const goodOf = new Map(tallies.map(({ device, good }) => [device, good]));
      const suspectsOf = new Map(suspects.map((row) => [row.device, row.suspects]));
      const latestOf = new Map(latest.map((version) => [version.device, version]));
      return rows.map((device): DeviceHeads => {
        const { id } = device;
        const [good, suspects] = [goodOf.get(id) ?? 0, suspectsOf.get(id) ?? 0];
        return { device, latest: latestOf.get(id), good, suspects };
      });
    },

    async readNames(after, limit) {
      const rows = await database.list(nameRow, {
        sql: `select ${nameRow.columns} from config_devices where name > :after and ${isRead} order by name limit :limit`,
        args: { after, limit },
      });
      return rows.map(({ name }) => name);
    },

    devicesOf: (ids) =>
      database.list(deviceRow, {
        sql: `select ${deviceRow.columns} from config_devices where id in :ids`,
        args: { ids: [...new Set(ids)] },
      }),

    async countDevices() {
      const [row] = await database.select(countRow, {
        sql: `select ${countRow.columns} from config_devices`,
        args: {},
      });
      return row?.count ?? 0;
    },

    head: (name, part) =>
      firstVersion(
        `device = (select id from config_devices where name = :name) and part = :part and state = 'good' ${latestFirst}`,
        { name, part },
      ),

    async base(device, part) {
      const [row] = await database.list(textRow, {
        sql: `select ${textRow.columns} from config_texts
where device = :device and part = :part and base is null order by id desc limit 1`,
        args: { device, part },
      });
      return row === undefined ? undefined : textOf(row);
    },

    versions: ({ device, part, before, state, who }, limit) =>
      versionsWhere(
        `${[
          "device = :device and part = :part",
          ...(state === undefined ? [] : [`state = '${state}'`]),
          ...(before === undefined ? [] : ["(taken_at, n) < (:at, :n)"]),
          ...(who === undefined ? [] : [isOf]),
        ].join(" and ")} ${latestFirst}`,
        {
          device,
          part,
          ...(who === undefined ? {} : { who }),
          ...(before === undefined ? {} : { at: before.takenAt, n: before.n }),
        },
        limit,
      ),

    async countVersions(device, part) {
      const [row] = await database.select(countRow, {
        sql: `select ${countRow.columns} from config_versions where device = :device and part = :part`,
        args: { device, part },
      });
      return row?.count ?? 0;
    },

    version: (device, part, version) =>
      firstVersion("device = :device and part = :part and version = :version", { device, part, version }),

    versionAt: (device, part, at) =>
      firstVersion(`${isGoodOf} and taken_at <= :at ${latestFirst}`, { device, part, at }),

    texts: async (ids) => (await database.list(textRow, withBases(textRow.columns, ids))).map(textOf),

    bodies: (ids) => database.list(bodyRow, withBases(bodyRow.columns, ids)),

    newest: (part, after, limit) =>
      database.list(searchedDeviceRow, {
        sql: `select ${searchedDeviceRow.columns} from config_devices d ${joinInOrder} config_versions v on v.n = (
  select n from config_versions where device = d.id and part = :part and state = 'good' ${latestFirst} limit 1)
where d.id > :after order by d.id limit :limit`,
        args: { part, after, limit },
      }),

    async countGood(part, devices) {
      const rows = await database.list(goodCountRow, {
        sql: `select ${goodCountRow.columns} from config_versions
where part = :part and state = 'good' and device in :devices group by device`,
        args: { part, devices },
      });
      return new Map(rows.map(({ device, good }) => [device, good]));
    },

    good: (part, devices) =>
      database.list(searchedRow, {
        sql: `select ${searchedRow.columns} from config_versions
where part = :part and state = 'good' and device in :devices
order by device, taken_at desc, n desc`,
        args: { part, devices },
      }),

    changes: ({ before, after, since, state, who }, limit) =>
      versionsWhere(
        `${[
          after === undefined ? "n < :before" : "n > :after",
          ...(since === undefined ? [] : ["taken_at >= :since"]),
          ...(state === undefined ? [] : [`state = '${state}'`]),
          ...(who === undefined ? [] : [isOf]),
        ].join(" and ")} order by n ${after === undefined ? "desc" : ""}`,
        {
          ...(after === undefined ? { before: before ?? Number.MAX_SAFE_INTEGER } : { after }),
          ...(since === undefined ? {} : { since }),
          ...(who === undefined ? {} : { who }),
        },
        limit,
      ),

    versionsOf: (ns) =>
      database.list(versionRow, {
        sql: `select ${versionRow.columns} from config_versions where n in :ns
order by n`,
        args: { ns },
      }),

    versionsOfJob: (jobId) => versionsWhere("job_id = :job_id order by n", { job_id: jobId }, atOnce),

    ...createDue(database),
    ...createUpkeep(database, makeId),

    async setNote(device, part, version, note, by) {
      const found = "device = :device and part = :part and version = :version";
      const args = { device, part, version };
      const exists = { sql: `exists (select 1 from config_versions where ${found})`, args };
      const named = await database.list(deviceRow, {
        sql: `select ${deviceRow.columns} from config_devices where id = :device`,
        args: { device },
      });
      const detail = `${named[0]?.shown ?? device} ${part} version ${version}`;
      const [, updated] = await database.write([
        addEntry(database, { caller: by, action: "history.note", outcome: "done", detail }, exists),
        { sql: `update config_versions set note = :note where ${found}`, args: { ...args, note } },
      ]);
      return (updated?.changes ?? 0) > 0;
    },
  };
}
