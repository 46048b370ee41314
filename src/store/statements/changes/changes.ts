/** Changes: each move is one transaction that begins at the step that was read. */
import { type ChangeState, changeLimits, workingChanges } from "../../../api/changes/change.ts";
import { yieldToEventLoop } from "../../../base/time/yield.ts";
import type { Cipher } from "../../cipher.ts";
import type { At, ChangeEvent, Changes, NewAuditEntry, StoredChange } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { isJson } from "../../sql/notation.ts";
import { bytes, fieldsOf, number, orNull, type RowShape, rowShape, text } from "../../sql/rows.ts";
import { type Args, givenColumns, type Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { changeSteps, changes, changeTargets, changeTexts, changeVotes } from "../../tables.ts";
import { actEntry } from "../ledger/entries.ts";
import { addEntry } from "../trail/audit.ts";
import { createBulksOfChanges } from "./change-bulks.ts";
import { createChangeEvents } from "./change-events.ts";
import { createChangeRehearsals } from "./change-rehearsals.ts";
import { assignmentsOf, foldSteps, isAt, moveTargets, setBulksAside, stopBulks } from "./moves.ts";

const changeRow = rowShape(fieldsOf(changes, ...namesBut(changes)));
type Row = typeof changeRow extends RowShape<infer T> ? T : never;
const targetRow = rowShape(fieldsOf(changeTargets, ...namesBut(changeTargets, "changeId")));
const voteRow = rowShape(fieldsOf(changeVotes, ...namesBut(changeVotes, "changeId")));
const stepRow = rowShape(fieldsOf(changeSteps, ...namesBut(changeSteps, "changeId")));
const stateRow = rowShape(fieldsOf(changes, ...namesBut(changes, "request")));
const listedRow = rowShape({
  ...fieldsOf(changes, ...namesBut(changes, "request", "plan")),
  waves: orNull(text("waves", `case when ${isJson("plan")} then plan ->> '$.waves' end`)),
});
const editRow = rowShape(fieldsOf(changeSteps, "who"));
const saidRow = rowShape({ count: number("count", "count(*)") });
const idRow = rowShape(fieldsOf(changes, "id"));
const atRow = rowShape(fieldsOf(changes, "id", "step", "state"));
const expiryRow = rowShape({ at: orNull(number("at", "min(expires_at)")) });
const countRow = rowShape({
  ...fieldsOf(changeTargets, "wave", "state"),
  count: number("count", "count(*)"),
});
const groupRow = rowShape({ ...fieldsOf(changeTargets, "sha256", "device"), devices: number("devices") });
const tallyRow = rowShape({
  ...fieldsOf(changeTargets, "changeId", "state"),
  count: number("count", "count(*)"),
});
const approvalRow = rowShape({ ...fieldsOf(changeVotes, "changeId"), count: number("count", "count(*)") });
const sealedRow = rowShape({ ...fieldsOf(changeTexts, "sha256"), sealed: bytes("lines", "lines") });
const otherRow = rowShape({
  id: text("other_id", "o.id"),
  name: text("other_name", "o.name"),
  device: text("other_device", "theirs.device"),
});

const newChange = written(changes, ...namesBut(changes));
const newTarget = written(changeTargets, ...namesBut(changeTargets));
const newTargets = givenColumns("new_target", newTarget.types);
const newText = written(changeTexts, ...namesBut(changeTexts));
const newVote = written(changeVotes, ...namesBut(changeVotes));

const words = (states: readonly string[]) => states.map((state) => `'${state}'`).join(", ");
/** Another change at work on one of its devices. */
const others = `from change_targets mine
  join change_targets theirs indexed by change_targets_device on theirs.device = mine.device and theirs.change_id <> mine.change_id
  join changes o on o.id = theirs.change_id and o.state in (${words(workingChanges)})
where mine.change_id = :id`;
const movingStates: readonly ChangeState[] = ["planning", ...workingChanges];
/** Before they start. */
const expiringStates: readonly ChangeState[] = ["waiting_approval", "approved"];
/** With a null key: none. */
const ofProposal = "holder = :holder and proposal = :key and created_at > :since";
/** Agents leave room for others. Those of recipes are bounded by their open runs. */
const isProposed = "holder = :holder and proposal is not null and origin <> 'recipe'";
const hasProposalRoom = `(select count(*) from changes where ${isProposed}) < ${changeLimits.proposed.most}
  and (select count(*) from changes where ${isProposed} and ended_at is null) < ${changeLimits.proposed.open}`;
const childTables = [
  ...["change_targets", "change_texts", "change_votes", "change_steps", "change_rehearsals"],
] as const;
const targetsAtOnce = 200;
/** Changes of 10,000 devices each may be among them. */
const talliesAtOnce = 10;

export function createChanges(database: Database): Changes {
  const { cipher, clock } = database;

  async function listed(where: string, args: Args): Promise<StoredChange[]> {
    const rows = await database.list(changeRow, {
      sql: `select ${changeRow.columns} from changes ${where}`,
      args,
    });
    return rows.map((row) => opened(cipher, row));
  }

  /** Run before the change itself moves: they hold the step that was read. */
  function before({ id, step }: At, event: ChangeEvent, condition: string, at: number): Statement[] {
    const args = { id, step };
    const { what, detail, by } = event;
    const entry = by && {
      ...{ caller: by, action: `change.${what}` as const, outcome: what },
      detail: detail === undefined ? id : `${id}: ${detail}`,
    };
    return [
      ...(entry
        ? [addEntry(database, entry, { sql: `exists (select 1 from changes where ${condition})`, args })]
        : []),
      {
        sql: `insert into change_steps (change_id, n, at, what, who, detail)
select :id, step + 1, :at, :what, :who, :detail from changes where ${condition} on conflict do nothing`,
        args: { ...args, at, what, who: by?.name ?? null, detail: detail ?? null },
      },
    ];
  }

  return {
    async add({ proposal, ...change }, by) {
      const at = clock.wall();
      const { id, holder } = change;
      const hasRoom = `(select count(*) from changes where ended_at is null) < ${changeLimits.open}
  and (select count(*) from changes) < ${changeLimits.most}${proposal === undefined || proposal.origin === "recipe" ? "" : ` and ${hasProposalRoom}`}`;
      const { key = null, sha256 = null, since = 0 } = proposal ?? {};
      const known = { holder, key, since };
      const isNew = `${hasRoom} and not exists (select 1 from changes where ${ofProposal})`;
      const values = newChange.values(cipher, {
        ...change,
        ...{ revision: 1, step: 1, wave: 0, round: 0, createdAt: at },
        ...(proposal === undefined
          ? { state: "draft" }
          : {
              ...{ state: "planning", origin: proposal.origin, proposal: key, proposed: sha256 },
              ...{ recipe: proposal.run?.recipe ?? null, recipeRun: proposal.run?.id ?? null },
            }),
      });
      const entry: NewAuditEntry = {
        caller: by,
        action: "change.draft",
        outcome: "added",
        detail: `${id}: ${change.name}`,
      };
      const [, , , found] = await database.write([
        addEntry(database, entry, {
          sql: `${isNew} and not exists (select 1 from changes where id = :id)`,
          args: { id, ...known },
        }),
        {
          sql: `insert into changes (${newChange.columns}) select ${newChange.parameters} where ${isNew}
on conflict do nothing`,
          args: { ...values, ...known },
        },
        {
          sql: `insert into change_steps (change_id, n, at, what, who)
select id, 1, :at, :what, :who from changes where id = :id on conflict do nothing`,
          args: { id, at, what: proposal === undefined ? "draft" : "proposed", who: by.name },
        },
        { sql: `select ${idRow.columns} from changes where id = :id`, args: { id } },
      ]);
      if (found?.rows.length !== 0) return "added";
      return (await listed(`where ${ofProposal}`, known)).length > 0 ? "again" : "full";
    },

    proposal: async (holder, { key, since }) =>
      (await listed(`where ${ofProposal} order by id desc limit 1`, { holder, key, since }))[0],

    async find(id) {
      return (await listed("where id = :id", { id }))[0];
    },

    page: ({ states, before }, limit) =>
      database.list(listedRow, {
        sql: `select ${listedRow.columns} from changes
where (:states is null or state in :states)
  and (:before is null or id < :before) order by id desc limit :limit`,
        args: { states: states ?? null, before: before ?? null, limit },
      }),

    async tallies(ids) {
      const of = "change_id in :ids";
      const counts = [];
      for (const group of database.grouped(ids, talliesAtOnce)) {
        const tallies = await database.list(tallyRow, {
          sql: `select ${tallyRow.columns} from change_targets where ${of} group by change_id, state`,
          args: { ids: group },
        });
        counts.push(...tallies);
        await yieldToEventLoop();
      }
      const approvals = await database.list(approvalRow, {
        sql: `select ${approvalRow.columns} from change_votes
where ${of} and verdict = 'approve' and revision = (select revision from changes where id = change_id)
group by change_id`,
        args: { ids },
      });
      const given = new Map(approvals.map(({ changeId, count }) => [changeId, count]));
      const byChange = Map.groupBy(counts, ({ changeId }) => changeId);
      return new Map(
        ids.map((id) => [id, { targets: byChange.get(id) ?? [], approvals: given.get(id) ?? 0 }]),
      );
    },

    async stateOf(id) {
      const rows = await database.list(stateRow, {
        sql: `select ${stateRow.columns} from changes where id = :id`,
        args: { id },
      });
      return rows.map((row) => ({ ...row, request: undefined }))[0];
    },

    async active(at) {
      const [rows, [next]] = await Promise.all([
        database.list(atRow, {
          sql: `select ${atRow.columns} from changes indexed by changes_open where ended_at is null
  and (state in (${words(movingStates)}) or state in (${words(expiringStates)}) and expires_at <= :at) order by id`,
          args: { at },
        }),
        database.list(expiryRow, {
          sql: `select ${expiryRow.columns} from changes indexed by changes_open
where ended_at is null and state in (${words(expiringStates)}) and expires_at > :at`,
          args: { at },
        }),
      ]);
      return { changes: rows, nextExpiry: next?.at ?? undefined };
    },

    async move(at, { targets = [], stopsBulks, alone, anew, ...values }, event) {
      const condition = alone ? `${isAt} and not exists (select 1 ${others})` : isAt;
      const args = { id: at.id, step: at.step };
      const now = clock.wall();
      const changed = assignmentsOf(cipher, at.id, values);
      const makes = { sql: `exists (select 1 from changes where ${condition})`, args };
      const act = await actEntry(database, at, event, makes);
      const results = await database.write([
        ...(act ? [act] : []),
        ...before(at, event, condition, now),
        ...database.grouped(targets, targetsAtOnce).flatMap((group) => moveTargets(at, group, condition)),
        ...(anew ? setBulksAside(at, condition) : []),
        ...(event.folds ? foldSteps(at, event.what) : []),
        ...(stopsBulks ? stopBulks(at, event.detail ?? event.what, now) : []),
        {
          sql: `update changes set step = step + 1${changed.sql} where ${condition} returning ${idRow.columns}`,
          args: { ...args, ...changed.args },
        },
        // Also true for a write repeated after a lost response.
        {
          sql: `select ${idRow.columns} from changes
where id = :id and step = :step + 1 and exists (select 1 from change_steps
  where change_id = :id and n = :step + 1 and what = :what and at = :at)`,
          args: { ...args, what: event.what, at: now },
        },
        { sql: `select ${idRow.columns} from changes where ${isAt}`, args },
      ]);
      const [moved, repeated, still] = results.slice(-3);
      if ((moved?.rows.length ?? 0) > 0 || (repeated?.rows.length ?? 0) > 0) return true;
      return alone && (still?.rows.length ?? 0) > 0 ? "busy" : false;
    },

    async keepPlanning({ id, step }, dueAt) {
      const [kept] = await database.write([
        {
          sql: `update changes set due_at = :due where ${isAt} and state = 'planning'`,
          args: { id, step, due: dueAt },
        },
      ]);
      return (kept?.changes ?? 0) > 0;
    },

    async setTargets({ id, step }, targets, texts, revision) {
      const args = { id, step };
      const here = `exists (select 1 from changes where ${isAt})`;
      await database.write([
        { sql: `delete from change_targets where change_id = :id and ${here}`, args },
        { sql: `delete from change_texts where change_id = :id and ${here}`, args },
        { sql: `delete from change_rehearsals where change_id = :id and ${here}`, args },
      ]);
      for (const group of database.grouped([...texts], 20)) {
        await database.write(
          group.map(([sha256, lines]) => ({
            sql: `insert into change_texts (${newText.columns}) select ${newText.parameters} where ${here}
on conflict do nothing`,
            args: { ...args, ...newText.values(cipher, { changeId: id, sha256, revision, lines }) },
          })),
        );
        await yieldToEventLoop();
      }
      for (const group of database.grouped(targets, targetsAtOnce)) {
        const rows = group.map((target) =>
          newTarget.row(cipher, { ...target, changeId: id, state: "waiting" }),
        );
        await database.write([
          {
            sql: `with ${newTargets.definition}
insert into change_targets (${newTarget.columns}) select ${newTarget.columns} from new_target where ${here}
on conflict do nothing`,
            args: { ...args, ...newTargets.rows(rows) },
          },
        ]);
        await yieldToEventLoop();
      }
      return (
        (await database.list(idRow, { sql: `select ${idRow.columns} from changes where ${isAt}`, args }))
          .length > 0
      );
    },

    async vote(at, { hash, ...vote }, event) {
      const args = { id: at.id, step: at.step };
      const now = clock.wall();
      const condition = `${isAt} and revision = :revision and hash = :hash and state = 'waiting_approval'
  and (expires_at is null or expires_at > :now)`;
      const voteArgs = { revision: vote.revision, hash, now };
      const approved = `(select count(*) from change_votes
  where change_id = changes.id and revision = changes.revision and verdict = 'approve')`;
      const entry = event.by && {
        ...{ caller: event.by, action: "change.vote" as const, outcome: vote.verdict },
        detail: `${at.id}: revision ${vote.revision}, ${hash}`,
      };
      const isOpen = {
        sql: `exists (select 1 from changes where ${condition})`,
        args: { ...args, ...voteArgs },
      };
      const act = await actEntry(database, at, event, isOpen, vote.verdict);
      const results = await database.write([
        ...(act ? [act] : []),
        ...(entry ? [addEntry(database, entry, isOpen)] : []),
        {
          sql: `insert into change_votes (${newVote.columns}) select ${newVote.parameters}
where exists (select 1 from changes where ${condition})
on conflict (change_id, revision, person_id) do update
  set verdict = excluded.verdict, note = excluded.note, at = excluded.at, person = excluded.person, hash = excluded.hash`,
          args: {
            ...newVote.values(cipher, { ...vote, hash, changeId: at.id, at: now }),
            ...args,
            ...voteArgs,
          },
        },
        {
          sql: `insert into change_steps (change_id, n, at, what, who, detail)
select :id, step + 1, :at, :what, :who, :detail from changes where ${condition} on conflict do nothing`,
          args: {
            ...args,
            ...voteArgs,
            ...{
              at: now,
              what: event.what,
              who: event.by?.name ?? null,
              detail: event.detail ?? null,
            },
          },
        },
        {
          sql: `update changes set step = step + 1,
  state = case when :verdict = 'reject' then 'rejected' when ${approved} >= needed then 'approved' else state end,
  reason = case when :verdict = 'reject' then :rejected else reason end,
  ended_at = case when :verdict = 'reject' then :now end
where ${condition} returning ${idRow.columns}`,
          args: { ...args, ...voteArgs, verdict: vote.verdict, rejected: "rejected by a vote" },
        },
        // Also true for a write repeated after a lost response.
        {
          sql: `select ${idRow.columns} from changes where id = :id and exists (select 1 from change_votes
  where change_id = :id and revision = :revision and person_id = :person and at = :at)`,
          args: { id: at.id, revision: vote.revision, person: vote.personId, at: now },
        },
      ]);
      const [voted, repeated] = results.slice(-2);
      return (voted?.rows.length ?? 0) > 0 || (repeated?.rows.length ?? 0) > 0;
    },

    targets: (id, { wave, after, before, states }, limit) =>
      database.list(targetRow, {
        sql: `select ${targetRow.columns} from change_targets where change_id = :id
  and (:wave is null or wave = :wave) and position > :after
  and (:before is null or position < :before) and (:states is null or state in :states) order by position limit :limit`,
        args: {
          ...{ id, wave: wave ?? null, after: after ?? -1, before: before ?? null, limit },
          states: states ?? null,
        },
      }),

    async targetOf(id, device) {
      const [target] = await database.list(targetRow, {
        sql: `select ${targetRow.columns} from change_targets
where change_id = :id and lower(device) = lower(:device) limit 1`,
        args: { id, device },
      });
      return target;
    },

    counts: (id) =>
      database.list(countRow, {
        sql: `select ${countRow.columns} from change_targets where change_id = :id group by wave, state`,
        args: { id },
      }),

    async texts(id, hashes) {
      const rows = await database.list(sealedRow, {
        sql: `select ${sealedRow.columns} from change_texts
where change_id = :id and sha256 in :hashes`,
        args: { id, hashes },
      });
      return new Map(
        rows.flatMap(({ sha256, sealed }) => {
          const lines = cipher.tryOpen(sealed, placeOf(changeTexts.lines, id, sha256));
          return lines === undefined ? [] : [[sha256, lines]];
        }),
      );
    },

    async groups(id, limit) {
      const rows = await database.list(groupRow, {
        sql: `select ${groupRow.columns} from (select sha256, device, count(*) over (partition by sha256) as devices,
    row_number() over (partition by sha256 order by position) as place from change_targets where change_id = :id) t1
where place <= ${changeLimits.firstDevices} order by devices desc, sha256, place limit :limit`,
        args: { id, limit: limit * changeLimits.firstDevices },
      });
      const groups = [...Map.groupBy(rows, ({ sha256 }) => sha256)].slice(0, limit);
      return groups.map(([sha256, of]) => ({
        ...{ sha256, devices: of[0]?.devices ?? 0 },
        first: of.map(({ device }) => device),
      }));
    },

    votes: (id) =>
      database.list(voteRow, {
        sql: `select ${voteRow.columns} from change_votes where change_id = :id order by at, person_id`,
        args: { id },
      }),

    steps: (id, after, limit) =>
      database.list(stepRow, {
        sql: `select ${stepRow.columns} from change_steps where change_id = :id and n > :after order by n limit :limit`,
        args: { id, after, limit },
      }),

    async saidSteps(id) {
      const [said] = await database.list(saidRow, {
        sql: `select ${saidRow.columns} from change_steps where change_id = :id and who is not null`,
        args: { id },
      });
      return said?.count ?? 0;
    },

    async editor(id) {
      const [edit] = await database.list(editRow, {
        sql: `select ${editRow.columns} from change_steps where change_id = :id and what = 'edited' order by n desc limit 1`,
        args: { id },
      });
      return edit === undefined ? null : (edit.who ?? "somebody");
    },

    ...createChangeEvents(database),
    ...createChangeRehearsals(database),

    ...createBulksOfChanges(database),

    async prune(endedBefore) {
      const [change] = await database.list(idRow, {
        sql: `select ${idRow.columns} from changes where ended_at < :before order by ended_at limit 1`,
        args: { before: endedBefore },
      });
      if (change === undefined) return false;
      const args = { id: change.id, before: endedBefore };
      // Somebody may have its devices returned meanwhile: all of it goes, or nothing.
      const isOld = "exists (select 1 from changes where id = :id and ended_at < :before)";
      await database.write(
        [
          ...childTables.map((table) => ({
            sql: `delete from ${table} where change_id = :id and ${isOld}`,
            args,
          })),
          {
            // The newest one stays: the next one would have its number again.
            sql: `delete from change_events where change_id = :id and n < (select max(n) from change_events) and ${isOld}`,
            args,
          },
          { sql: "delete from changes where id = :id and ended_at < :before", args },
        ],
        { essential: true },
      );
      return true;
    },

    async otherWith(id) {
      const [other] = await database.list(otherRow, {
        sql: `select ${otherRow.columns} ${others} limit 1`,
        args: { id },
      });
      return other;
    },
  };
}

function opened(cipher: Cipher, { request, ...row }: Row): StoredChange {
  return { ...row, request: cipher.tryOpen(request, placeOf(changes.request, row.id)) };
}
