/** Intents and drift in the database. */
import { type DriftState, driftStates, intentLimits } from "../../../api/intent.ts";
import type { DriftCondition, Intents, StoredIntent } from "../../port.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { driftDue, driftLines, driftResults, intents } from "../../tables.ts";
import { inGroups } from "../database/batcher.ts";
import { type Database, steadyNow } from "../database/database.ts";
import { fieldsOf, number, orNull, rowShape, text } from "../database/rows/rows.ts";
import { written } from "../database/rows/written.ts";
import { type Args, givenColumns, type Statement } from "../database/statement.ts";
import { addEntry } from "../trail/audit.ts";

const intentRow = rowShape(fieldsOf(intents, ...namesBut(intents)));
const revisionRow = rowShape(fieldsOf(intents, "name", "revision", "changedAt"));
const dueRow = rowShape(fieldsOf(driftDue, ...namesBut(driftDue)));
const countRow = rowShape({ count: number("count", "count(*)") });
const knownRow = rowShape(
  fieldsOf(
    driftResults,
    ...([
      "device",
      "intent",
      "state",
      "hash",
      "compare",
      "since",
      "fix",
      "rounds",
      "revision",
      "version",
    ] as const),
  ),
);
const changesRow = rowShape(fieldsOf(driftResults, "changes"));

/** The newest good version of a result's device and part. */
const head = `(select g.compare from config_versions g where g.device = d.id and g.part = r.part and g.state = 'good'
  order by g.taken_at desc, g.n desc limit 1)`;
/** A text that is not whole was read after the last good one. */
const isSuspect = `exists (select 1 from config_versions s where s.device = d.id and s.part = r.part and s.state = 'suspect'
  and s.seen_at > coalesce((select g.seen_at from config_versions g where g.device = d.id and g.part = r.part
    and g.state = 'good' order by g.taken_at desc, g.n desc limit 1), 0))`;
const stale = `case when d.taken_at is null or ${head} is null then 'never'
  when d.taken_at < :fresh then 'old' when ${isSuspect} then 'suspect'
  when ${head} is not r.compare or r.revision <> i.revision then 'newer' end`;
/** Results with why nothing can be said of them. */
const told = `(select r.*, d.taken_at as read_at, ${stale} as stale from drift_results r
  join intents i on i.name = r.intent left join config_devices d on d.name = r.device
  where r.device in (select value from json_each(:names)) and (:intent is null or r.intent = :intent))`;
const toldState =
  "case when stale is null or state = 'intent_error' and stale <> 'newer' then state else 'unknown' end";
const toldRow = rowShape({
  ...fieldsOf(driftResults, ...namesBut(driftResults, "changes", "hash")),
  readAt: orNull(number("read_at")),
  stale: orNull(text("stale")),
});
const tallyRow = rowShape({ state: text("told_state"), count: number("count", "count(*)") });
const lineRow = rowShape({
  ...fieldsOf(driftLines, "intent", "section", "kind", "line"),
  devices: number("devices", "count(*)"),
  first: text("first_devices", "json_group_array(device)"),
});

const newIntent = written(intents, ...namesBut(intents));
const newResult = written(driftResults, ...namesBut(driftResults));
const newLine = givenColumns("line", ["device", "intent", "section", "kind", "line"]);

/** A node that takes devices has compared them by then, or another one takes them. */
const takenMs = 120_000;
const linesAtOnce = 500;
const isState = (word: string): word is DriftState => driftStates.some((state) => state === word);
const staleWords = ["never", "old", "suspect", "newer"] as const;

export function createIntents(database: Database): Intents {
  const { cipher, clock } = database;

  const opened = ({ own, ...row }: ReturnType<typeof intentRow.read>[number]): StoredIntent => ({
    ...row,
    own: cipher.tryOpen(own, placeOf(intents.own, row.name)),
  });
  const listed = async (where: string, args: Args) =>
    (
      await database.list(intentRow, {
        sql: `select ${intentRow.columns} from intents ${where} order by name`,
        args,
      })
    ).map(opened);

  const conditionArgs = ({ names, fresh, intent }: DriftCondition) => ({
    ...{ names: JSON.stringify(names), fresh, intent: intent ?? null },
  });

  return {
    list: () => listed("", {}),

    async get(name) {
      return (await listed("where name = :name", { name }))[0];
    },

    async put({ name, own, owner }, expected, by) {
      const at = clock.wall();
      const exists = "exists (select 1 from intents where name = :name)";
      const may =
        expected === undefined
          ? "true"
          : expected === "none"
            ? `not ${exists}`
            : expected === "*"
              ? exists
              : "exists (select 1 from intents where name = :name and revision = :expected)";
      const hasRoom = `(${exists} or (select count(*) from intents) < :most)`;
      const args = {
        ...{ name, most: intentLimits.most },
        ...(typeof expected === "number" ? { expected } : {}),
      };
      const values = newIntent.values(cipher, { name, own, owner, revision: 1, changedAt: at });
      const entry = { caller: by, action: "intent.put", outcome: "put", detail: name };
      const [was, , , , is] = await database.write([
        { sql: `select ${revisionRow.columns} from intents where name = :name`, args: { name } },
        addEntry(database, entry, { sql: `${may} and ${hasRoom}`, args }),
        // It may no longer be for them.
        {
          sql: `insert into drift_due (device, mark) select device, 1 from drift_results where intent = :name
on conflict (device) do update set mark = mark + 1, taken_t = 0`,
          args: { name },
        },
        {
          sql: `insert into intents (${newIntent.columns}) select ${newIntent.parameters} where ${may} and ${hasRoom}
on conflict (name) do update set own = excluded.own, owner = excluded.owner, changed_at = excluded.changed_at,
  revision = intents.revision + 1`,
          args: { ...args, ...values },
        },
        { sql: `select ${revisionRow.columns} from intents where name = :name`, args: { name } },
      ]);
      const [before] = database.readable(revisionRow, was).rows;
      const [after] = database.readable(revisionRow, is).rows;
      if (after?.changedAt === at && after.revision !== before?.revision) return { revision: after.revision };
      const isExpected =
        expected === undefined ||
        (expected === "none" ? !before : expected === "*" ? before : before?.revision === expected);
      return isExpected ? "full" : "moved";
    },

    async remove(name, expected, by) {
      const may = `exists (select 1 from intents where name = :name${typeof expected === "number" ? " and revision = :expected" : ""})`;
      const args = { name, ...(typeof expected === "number" ? { expected } : {}) };
      const entry = { caller: by, action: "intent.remove", outcome: "removed", detail: name };
      const [was, , , , removed] = await database.write([
        { sql: `select ${revisionRow.columns} from intents where name = :name`, args: { name } },
        addEntry(database, entry, { sql: may, args }),
        { sql: `delete from drift_lines where intent = :name and ${may}`, args },
        { sql: `delete from drift_results where intent = :name and ${may}`, args },
        { sql: `delete from intents where name = :name and ${may}`, args },
      ]);
      if ((removed?.changes ?? 0) > 0) return "removed";
      return database.readable(revisionRow, was).rows.length === 0 ? "gone" : "moved";
    },

    async ask(names) {
      for (const group of inGroups(names, 5_000))
        await database.write([
          {
            sql: `insert into drift_due (device, mark) select value, 1 from json_each(:names) where true
on conflict (device) do update set mark = mark + 1, taken_t = 0`,
            args: { names: JSON.stringify(group) },
          },
        ]);
    },

    async takeDue(limit) {
      // Asked often, and mostly there is none.
      const isDue = `taken_t <= ${steadyNow}`;
      const [first] = await database.list(countRow, {
        sql: `select ${countRow.columns} from (select 1 from drift_due where ${isDue} limit 1)`,
        args: { now: database.now() },
      });
      if (first?.count === 0) return [];
      const [taken] = await database.write([
        {
          sql: `update drift_due set taken_t = ${steadyNow} + :later where device in (
  select device from drift_due where ${isDue} order by taken_t limit :limit)
returning ${dueRow.columns}`,
          args: { now: database.now(), later: takenMs, limit },
        },
      ]);
      return database.readable(dueRow, taken).rows;
    },

    async countDue(names) {
      const [row] = await database.list(countRow, {
        sql: `select ${countRow.columns} from drift_due${
          names === undefined ? "" : " where device in (select value from json_each(:names))"
        }`,
        args: names === undefined ? {} : { names: JSON.stringify(names) },
      });
      return row?.count ?? 0;
    },

    known: (names) =>
      database.list(knownRow, {
        sql: `select ${knownRow.columns} from drift_results where device in (select value from json_each(:names))`,
        args: { names: JSON.stringify(names) },
      }),

    async save({ due, results, same, gone }) {
      const at = clock.wall();
      const of = "(device, intent) in (select value ->> 0, value ->> 1 from json_each(:pairs))";
      const pairs = (list: readonly { readonly device: string; readonly intent: string }[]) =>
        JSON.stringify(list.map(({ device, intent }) => [device, intent]));
      const anew = results.map(({ result }) => result);
      const lines = results.flatMap(({ result: { device, intent }, lines }) =>
        lines.map((line) => ({ device, intent, ...line })),
      );
      const statements: Statement[] = [
        ...(anew.length + gone.length === 0
          ? []
          : [{ sql: `delete from drift_lines where ${of}`, args: { pairs: pairs([...anew, ...gone]) } }]),
        ...(gone.length === 0
          ? []
          : [{ sql: `delete from drift_results where ${of}`, args: { pairs: pairs(gone) } }]),
        ...anew.map((result) => ({
          sql: `insert into drift_results (${newResult.columns}) values (${newResult.parameters})
on conflict (device, intent) do update set ${newResult.assignments},
  since = case when excluded.state = 'drifted' then coalesce(drift_results.since, excluded.since) end,
  fix = case when drift_results.revision = excluded.revision then drift_results.fix end,
  rounds = case when drift_results.revision = excluded.revision and excluded.state = 'drifted' then drift_results.rounds else 0 end`,
          args: newResult.values(cipher, {
            ...{ ...result, checkedAt: at, since: result.state === "drifted" ? at : null },
            ...{ fix: null, rounds: 0 },
          }),
        })),
        ...(same.length === 0
          ? []
          : [
              {
                sql: `update drift_results set checked_at = :at where ${of}`,
                args: { at, pairs: pairs(same) },
              },
            ]),
        ...inGroups(lines, linesAtOnce).map((group) => ({
          sql: `with ${newLine.definition} insert into drift_lines (device, intent, section, kind, line)
select device, intent, section, kind, line from line`,
          args: newLine.args(group),
        })),
        // A fix whose push was read, and that left the device as it should not be.
        {
          sql: `update drift_results as r set rounds = case when state = 'drifted' then rounds + 1 else 0 end, fix = null
where device in (select value ->> 0 from json_each(:due)) and fix is not null and exists (
  select 1 from change_targets t where t.change_id = r.fix and lower(t.device) = r.device
    and t.after_version is not null and t.after_version <= r.version)`,
          args: { due: JSON.stringify(due.map(({ device }) => [device])) },
        },
        {
          sql: `delete from drift_due where (device, mark) in (
  select value ->> 0, value ->> 1 from json_each(:due))`,
          args: { due: JSON.stringify(due.map(({ device, mark }) => [device, mark])) },
        },
      ];
      await database.write(statements);
    },

    async page({ section, state, after, ...condition }, limit) {
      const rows = await database.list(toldRow, {
        sql: `select ${toldRow.columns} from ${told} as drift_results
where (device, intent) > (:device, :after_intent)${
          state === undefined
            ? ""
            : section === undefined
              ? ` and ${toldState} = :state`
              : ` and exists (select 1 from json_each(sections) one where one.value ->> 'name' = :section
  and case when ${toldState} = 'unknown' and stale is not null then 'unknown' else one.value ->> 'state' end = :state)`
        }${
          section === undefined
            ? ""
            : " and exists (select 1 from json_each(sections) one where one.value ->> 'name' = :section)"
        }
order by device, intent limit :limit`,
        args: {
          ...conditionArgs(condition),
          ...{ device: after?.[0] ?? "", after_intent: after?.[1] ?? "", limit },
          ...(state === undefined ? {} : { state }),
          ...(section === undefined ? {} : { section }),
        },
      });
      return rows.map(({ stale, ...row }) => ({
        ...row,
        stale: staleWords.find((word) => word === stale) ?? null,
      }));
    },

    async changes(device, intent) {
      const [row] = await database.list(changesRow, {
        sql: `select ${changesRow.columns} from drift_results where device = :device and intent = :intent`,
        args: { device, intent },
      });
      return row?.changes ?? null;
    },

    async counts(condition) {
      const rows = await database.list(tallyRow, {
        sql: `select ${tallyRow.columns} from (select ${toldState} as told_state from ${told}) group by told_state`,
        args: conditionArgs(condition),
      });
      return new Map(rows.flatMap(({ state, count }) => (isState(state) ? [[state, count] as const] : [])));
    },

    async lines({ text: wanted, section, ...condition }, first) {
      const rows = await database.list(lineRow, {
        sql: `select ${lineRow.columns} from (select l.* from ${told} t
  cross join drift_lines l on l.device = t.device and l.intent = t.intent
  where t.stale is null and t.state = 'drifted' and (:section is null or l.section = :section) and (:text is null or instr(l.line, :text) > 0)
  order by l.device) as drift_lines
group by intent, section, kind, line`,
        args: {
          ...conditionArgs(condition),
          ...{ section: section ?? null, text: wanted ?? null },
        },
      });
      return rows.map(({ first: devices, ...row }) => {
        const names: unknown = JSON.parse(devices);
        return { ...row, first: Array.isArray(names) ? names.map(String).slice(0, first) : [] };
      });
    },

    async fixing(change, pairs) {
      if (pairs.length === 0) return;
      await database.write([
        {
          sql: `update drift_results set fix = :change where (device, intent) in (
  select value ->> 0, value ->> 1 from json_each(:pairs))`,
          args: { change, pairs: JSON.stringify(pairs.map(({ device, intent }) => [device, intent])) },
        },
      ]);
    },
  };
}
