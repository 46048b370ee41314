/** Intents and drift in the database. */
import { type DriftState, driftStates, intentLimits } from "../../../api/intent/intent.ts";
import type { DriftCondition, Intents, NewAuditEntry, StoredIntent } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { objectsOf, steadyNow } from "../../sql/notation.ts";
import { fieldsOf, number, orNull, rowShape, text } from "../../sql/rows.ts";
import { type Args, givenMany, type Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { driftDue, driftResults, intents } from "../../tables.ts";
import { addEntry } from "../trail/audit.ts";
import { createDriftTexts, inPairs, newTexts, oldTexts, pairArgs, stale, staleFrom } from "./texts.ts";

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

/** Results with why nothing can be said of them. */
const told = `(select r.*, d.taken_at as read_at, ${stale} as stale from ${staleFrom}
  where r.device in :names and (:intent is null or r.intent = :intent))`;
const toldState =
  "case when stale is null or state = 'intent_error' and stale <> 'newer' then state else 'unknown' end";
const toldRow = rowShape({
  ...fieldsOf(driftResults, ...namesBut(driftResults, "changes", "hash", "told", "again")),
  readAt: orNull(number("read_at")),
  stale: orNull(text("stale")),
});
const tallyRow = rowShape({ state: text("told_state"), count: number("count", "count(*)") });
const againRow = rowShape({
  ...fieldsOf(driftResults, "device", "intent", "rounds"),
  change: text("again", "drift_results.again"),
});
/** Devices of one change. */
const mostAgain = 1_000;

/** Notes what is to be told of results; one that is to be compared anew says nothing yet. A trigger makes notices of it. */
function toldOf(fresh: number, where: string, args: Args): Statement {
  return {
    sql: `update drift_results set told = now.told from (
  select r.device, r.intent, ${stale} as stale, case when ${stale} is null and r.state in ('compliant', 'drifted') then r.state
    else 'unknown' end as told from ${staleFrom} where ${where}) now
where now.device = drift_results.device and now.intent = drift_results.intent and now.stale is distinct from 'newer'
  and now.told is distinct from drift_results.told`,
    args: { fresh, ...args },
  };
}

const newIntent = written(intents, ...namesBut(intents));
const newResult = written(driftResults, ...namesBut(driftResults, "told", "again"));
const marksTable = givenMany("marks", { device: "text", mark: "bigint" });
/** What a new comparison replaces; the rest depends on what was before. */
const comparedAnew = written(
  driftResults,
  ...namesBut(driftResults, "since", "fix", "rounds", "told", "again"),
).assignments;

/** A node that takes devices has compared them by then, or another one takes them. */
const takenMs = 120_000;
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
    ...{ names, fresh, intent: intent ?? null },
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
      const entry: NewAuditEntry = { caller: by, action: "intent.put", outcome: "put", detail: name };
      const [was, , , , is] = await database.write([
        { sql: `select ${revisionRow.columns} from intents where name = :name`, args: { name } },
        addEntry(database, entry, { sql: `${may} and ${hasRoom}`, args }),
        // It may no longer be for them.
        {
          sql: `insert into drift_due (device, mark) select device, 1 from drift_results where intent = :name
on conflict (device) do update set mark = drift_due.mark + 1, taken_t = 0`,
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
      const entry: NewAuditEntry = { caller: by, action: "intent.remove", outcome: "removed", detail: name };
      const done = await database.write([
        { sql: `select ${revisionRow.columns} from intents where name = :name`, args: { name } },
        addEntry(database, entry, { sql: may, args }),
        ...oldTexts("intent = :name", may, args),
        { sql: `delete from drift_results where intent = :name and ${may}`, args },
        { sql: `delete from intents where name = :name and ${may}`, args },
      ]);
      if ((done.at(-1)?.changes ?? 0) > 0) return "removed";
      return database.readable(revisionRow, done[0]).rows.length === 0 ? "gone" : "moved";
    },

    async ask(names) {
      for (const group of database.grouped(names, 5_000))
        await database.write([
          {
            sql: `insert into drift_due (device, mark) select distinct one.value, 1 from each(:names) one where true
on conflict (device) do update set mark = drift_due.mark + 1, taken_t = 0`,
            args: { names: group },
          },
        ]);
    },

    async takeDue(limit) {
      // Asked often, and mostly there is none.
      const isDue = `taken_t <= ${steadyNow}`;
      const [first] = await database.list(countRow, {
        sql: `select ${countRow.columns} from (select 1 from drift_due where ${isDue} limit 1) t1`,
        args: {},
      });
      if (first?.count === 0) return [];
      const [taken] = await database.write([
        {
          sql: `update drift_due set taken_t = ${steadyNow} + :later where device in (
  select device from drift_due where ${isDue} order by taken_t limit :limit)
returning ${dueRow.columns}`,
          args: { later: takenMs, limit },
        },
      ]);
      return database.readable(dueRow, taken).rows;
    },

    async countDue(names) {
      const [row] = await database.list(countRow, {
        sql: `select ${countRow.columns} from drift_due${
          names === undefined ? "" : " where device in :names"
        }`,
        args: names === undefined ? {} : { names },
      });
      return row?.count ?? 0;
    },

    known: (names) =>
      database.list(knownRow, {
        sql: `select ${knownRow.columns} from drift_results where device in :names order by device, intent`,
        args: { names },
      }),

    async save({ due, results, same, gone, fresh }) {
      const at = clock.wall();
      const of = inPairs("device, intent");
      const devices = due.map(({ device }) => device);
      const anew = results.map(({ result }) => result);
      const statements: Statement[] = [
        ...(anew.length + gone.length === 0 ? [] : oldTexts(of, "true", pairArgs([...anew, ...gone]))),
        ...(gone.length === 0
          ? []
          : [{ sql: `delete from drift_results where ${of}`, args: pairArgs(gone) }]),
        ...anew.map((result) => ({
          sql: `insert into drift_results (${newResult.columns}) values (${newResult.parameters})
on conflict (device, intent) do update set ${comparedAnew},
  since = case when excluded.state = 'drifted' then coalesce(drift_results.since, excluded.since) end,
  fix = case when drift_results.revision = excluded.revision then drift_results.fix end,
  rounds = case when drift_results.revision = excluded.revision and excluded.state = 'drifted' then drift_results.rounds else 0 end,
  again = case when drift_results.revision = excluded.revision and excluded.state = 'drifted' then drift_results.again end`,
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
                args: { at, ...pairArgs(same) },
              },
            ]),
        ...newTexts(results),
        // A fix whose push was read, and that left the device as it should not be.
        {
          sql: `update drift_results as r set rounds = case when state = 'drifted' then rounds + 1 else 0 end, fix = null,
  again = case when state = 'drifted' and rounds + 1 < :rounds then fix end
where device in :due and fix is not null and exists (
  select 1 from change_targets t where t.change_id = r.fix and lower(t.device) = r.device
    and t.after_version is not null and t.after_version <= r.version)`,
          args: { due: devices, rounds: intentLimits.rounds },
        },
        toldOf(fresh, "r.device in :due", { due: devices }),
        {
          sql: `delete from drift_due where (device, mark) in (
  :marks)`,
          args: marksTable.rows(due.map(({ device, mark }) => [device, mark])),
        },
      ];
      await database.write(statements);
    },

    async tell(fresh) {
      await database.write([toldOf(fresh, "d.taken_at < :fresh and r.told <> 'unknown'", {})]);
    },

    again: () =>
      database.list(againRow, {
        sql: `select ${againRow.columns} from drift_results join changes c on c.id = drift_results.again
where drift_results.again is not null and drift_results.state = 'drifted' and drift_results.fix is null
  and c.ended_at is not null and not exists (select 1 from change_targets t join drift_due d on d.device = lower(t.device)
    where t.change_id = c.id)
order by drift_results.again, device limit :limit`,
        args: { limit: mostAgain },
      }),

    async drafted(change) {
      await database.write([
        { sql: "update drift_results set again = null where again = :change", args: { change } },
      ]);
    },

    async tally(fresh) {
      const [rows, [persons], [due]] = await Promise.all([
        database.list(tallyRow, {
          sql: `select ${tallyRow.columns} from (select ${toldState} as told_state
from (select r.state, ${stale} as stale from ${staleFrom}) t3) t2 group by told_state`,
          args: { fresh },
        }),
        database.list(countRow, {
          sql: `select ${countRow.columns} from drift_results where rounds >= :rounds and state = 'drifted'`,
          args: { rounds: intentLimits.rounds },
        }),
        database.list(countRow, { sql: `select ${countRow.columns} from drift_due`, args: {} }),
      ]);
      return {
        states: new Map(
          rows.flatMap(({ state, count }) => (isState(state) ? [[state, count] as const] : [])),
        ),
        ...{ needsPerson: persons?.count ?? 0, due: due?.count ?? 0 },
      };
    },

    async page({ section, state, after, ...condition }, limit) {
      const rows = await database.list(toldRow, {
        sql: `select ${toldRow.columns} from ${told} as drift_results
where (device, intent) > (:device, :after_intent)${
          state === undefined
            ? ""
            : section === undefined
              ? ` and ${toldState} = :state`
              : ` and exists (select 1 from ${objectsOf("sections", "one")} where one.value ->> 'name' = :section
  and case when ${toldState} = 'unknown' and stale is not null then 'unknown' else one.value ->> 'state' end = :state)`
        }${
          section === undefined
            ? ""
            : ` and exists (select 1 from ${objectsOf("sections", "one")} where one.value ->> 'name' = :section)`
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
        sql: `select ${tallyRow.columns} from (select ${toldState} as told_state from ${told} results) t4 group by told_state`,
        args: conditionArgs(condition),
      });
      return new Map(rows.flatMap(({ state, count }) => (isState(state) ? [[state, count] as const] : [])));
    },

    lines: createDriftTexts(database),

    async fixing(change, pairs) {
      if (pairs.length === 0) return;
      await database.write([
        {
          sql: `update drift_results set fix = :change where ${inPairs("device, intent")}`,
          args: { change, ...pairArgs(pairs) },
        },
      ]);
    },
  };
}
