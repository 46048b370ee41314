import { either } from "../../sql/notation.ts";
/** Entries of the ledger as statements of the transactions that they belong to. */

import * as v from "valibot";
import type { Verdict } from "../../../api/changes/change.ts";
import type { LedgerKind, LedgerOutcome } from "../../../api/ledger/ledger.ts";
import { ServiceError } from "../../../base/errors.ts";
import { isRecord } from "../../../base/json/members.ts";
import { hashOfSent } from "../../../base/secrets/sent-hash.ts";
import { pause } from "../../../base/time/deadline.ts";
import type { EntryDraft } from "../../ledger-links.ts";
import {
  type Actor,
  type At,
  type ChangeEvent,
  changeParts,
  type JobEnd,
  type SentWork,
} from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import type { Rows } from "../../sql/rows.ts";
import { fieldsOf, number, orNull, rowShape, text } from "../../sql/rows.ts";
import type { Args, Statement } from "../../sql/statement.ts";
import type { ChangeRow } from "../../tables/changes.ts";
import { changes, jobs } from "../../tables.ts";
import { openIntent } from "../work/intents.ts";

type Members = EntryDraft["members"];

/** Timeout of a write that ends jobs: nobody waits for it, and it must not be lost. */
export const endPatienceMs = 10_000;

/** An entry of an action, beside the one of the audit trail. */
export function ledgerEntry(
  { clock, makeId }: Pick<Database, "clock" | "makeId">,
  kind: LedgerKind,
  by: Actor,
  members: Members,
  condition?: { readonly sql: string; readonly args: Args },
): Statement {
  return chained(
    { kind, ref: makeId(), at: clock.wall(), members: { ...members, actor: actorOf(by) } },
    condition,
  );
}

/** The actor of what nobody asked for. */
const service = { kind: "service", name: "patchbay" };
export const itself: Actor = { keyId: "", name: service.name, from: null };

const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/** Persons by their id: entries never change, and a name must be able to. */
function actorOf({ keyId, name, from, submitter, person }: Actor) {
  const key = isId.test(keyId) ? keyId : undefined;
  const kind = keyId === "command line" ? keyId : key === undefined ? "service" : "key";
  const who = person === undefined ? { kind, name, ...submitter } : { kind: "person", name: person.id };
  return { ...who, key, address: from ?? undefined };
}

const kindsOfSteps: Readonly<Record<string, LedgerKind>> = {
  voted: "change.vote",
  started: "change.start",
  stopped: "change.stop",
  returning: "change.return",
  cancelled: "change.cancel",
};
const changeRow = rowShape(fieldsOf(changes, "revision", "hash", "ticket", "needed"));
const maxDetail = 500;

/**
 * The entry of a step of a change, for the transaction of the step; undefined: such steps have none.
 * @param condition under which the change makes that step: it is as it was read
 */
export async function actEntry(
  database: Database,
  { id, step }: At,
  { what, by, detail }: Pick<ChangeEvent, "what" | "by" | "detail">,
  condition: { readonly sql: string; readonly args: Args },
  verdict?: Verdict,
): Promise<Statement | undefined> {
  const kind = kindsOfSteps[what];
  if (kind === undefined) return undefined;
  const [change] = await database.list(changeRow, {
    sql: `select ${changeRow.columns} from changes where id = :id and step = :step`,
    args: { id, step },
  });
  return (
    change &&
    ledgerEntry(
      database,
      kind,
      by ?? itself,
      {
        ...{ change: id, revision: change.revision, revision_hash: change.hash ?? undefined, verdict },
        ...{
          ticket: change.ticket ?? undefined,
          needed: kind === "change.start" ? change.needed : undefined,
        },
        // What persons write stays in the steps of the change, where it can be deleted.
        detail: by === null ? detail?.slice(0, maxDetail) : undefined,
      },
      condition,
    )
  );
}

/** Of changes at work that began before such entries were written: the number of votes is not known. */
export function begunBefore(
  { clock }: Pick<Database, "clock">,
  { id, state, revision, hash, ticket }: BegunChange,
): Statement {
  const kind = state === "returning" ? "change.return" : "change.start";
  const members = {
    ...{
      actor: service,
      change: id,
      revision,
      revision_hash: hash ?? undefined,
      ticket: ticket ?? undefined,
    },
    detail: "it began before the ledger had entries of changes",
  };
  return chained(
    { kind, ref: `begun:${kind}:${id}:${revision}`, at: clock.wall(), members },
    {
      sql: "not exists (select 1 from ledger where body ->> '$.change' = :change and kind = :ledger_kind)",
      args: { change: id },
    },
  );
}

type BegunChange = Pick<ChangeRow, "id" | "state" | "revision" | "hash" | "ticket">;

const newest = (value: string) => `(select ${value} from config_devices d
  join config_versions v on v.device = d.id and v.part = 'running' and v.state = 'good'
  where d.name = lower(j.device) order by v.taken_at desc, v.n desc limit 1)`;
/** The members of an entry, as JSON; a change keeps its revision while jobs of it may run. */
const changeOfJob = `(select ${either("json_object", "json_build_object")}('change', change_id, 'revision', c.revision, 'revision_hash', c.hash,
    'part', change_part)
  from bulks left join changes c on c.id = change_id where bulks.id = j.bulk_id and change_id is not null)`;
const ofChange = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    change: v.string(),
    revision: v.nullable(v.number()),
    revision_hash: v.nullable(v.string()),
    part: v.nullable(v.string()),
  }),
);

/** Who signed in, or whose key it is. */
const personOfJob = `case j.submitter_kind when 'person'
  then coalesce((select person_id from keys where id = j.caller), (select id from persons where id = j.caller)) end`;
const factsRow = rowShape({
  ...fieldsOf(jobs, "id", "bulkId", "caller", "submitterKind", "submitter", "host", "driver", "device"),
  ...fieldsOf(jobs, "operation", "ticket", "label", "dryRun", "startedAt", "lost"),
  from: orNull(text("from_address", "(select from_address from audit where id = j.audit_id)")),
  who: orNull(text("who", "(select who from audit where id = j.audit_id)")),
  person: orNull(text("person", personOfJob)),
  ofChange: orNull(text("of_change", changeOfJob)),
  version: orNull(number("before_version", newest("v.version"))),
  compare: orNull(text("before_compare", newest("v.compare"))),
});
type Facts = ReturnType<typeof factsRow.read>[number];

/** A job that ends, and what it may have changed. */
export interface EndedWork extends Pick<JobEnd, "id" | "status" | "errorType" | "result"> {
  readonly work: SentWork;
}

/**
 * Statements for the transaction that ends these jobs; each does nothing if its job was not ended so.
 * @param works read before that transaction: what an entry says of a job does not change any more
 */
export async function workEntries(
  database: Database,
  works: readonly EndedWork[],
  at: number,
): Promise<Statement[]> {
  if (works.length === 0) return [];
  const { rows } = database.readable(
    factsRow,
    await patientRead(database, {
      sql: `select ${factsRow.columns} from jobs j where j.id in :ids`,
      args: { ids: works.map(({ id }) => id) },
    }),
  );
  const factsOf = new Map(rows.map((row) => [row.id, row]));
  return works.map((ended) =>
    chained(
      {
        ...{ kind: ended.work.kind, ref: ended.id, at },
        members: { ...factsMembers(factsOf.get(ended.id)), ...workMembers(ended) },
      },
      {
        sql: "exists (select 1 from jobs where id = :ledger_ref and +status = :ledger_status)",
        args: { ledger_status: ended.status },
      },
    ),
  );
}

function factsMembers(facts: Facts | undefined): Members {
  if (facts === undefined) return { actor: service };
  const { bulkId, caller, submitterKind, submitter, from, who, person, version, compare } = facts;
  return {
    actor: {
      kind: submitterKind ?? "key",
      name: person ?? submitter ?? who?.replace(/ \([^()]*\)$/, "") ?? caller,
      key: caller,
      address: from ?? undefined,
    },
    ...changeMembers(facts.ofChange),
    ...{ bulk: bulkId ?? undefined, device: facts.device ?? undefined, host: facts.host },
    ...{ driver: facts.driver, ticket: facts.ticket ?? undefined, note: facts.label ?? undefined },
    dry_run: facts.dryRun === true ? true : undefined,
    started_at: facts.startedAt === null ? undefined : new Date(facts.startedAt).toISOString(),
    before: version === null || compare === null ? undefined : { version, sha256: compare },
  };
}

function changeMembers(stored: string | null): Members {
  if (stored === null) return {};
  const { change, revision, revision_hash, part } = v.parse(ofChange, stored);
  const returns = part !== null && changeParts.isReturn(part) ? true : undefined;
  return { change, revision: revision ?? undefined, revision_hash: revision_hash ?? undefined, returns };
}

function workMembers({ id, status, errorType, result, work }: EndedWork): Members {
  const { lines, sha256, credential, transfer, checks } = work;
  return {
    ...{ job: id, sent: { lines, sha256 }, credential, transfer, checks },
    ...{ outcome: outcomeOf(status, result), error: status === "failed" ? errorType : undefined },
  };
}

/** Whether the device may have more, or less, than is known. */
function outcomeOf(status: JobEnd["status"], result: string): LedgerOutcome {
  if (status === "finished") return status;
  const parsed: unknown = JSON.parse(result);
  const error = isRecord(parsed) ? parsed.error : undefined;
  return isRecord(error) && error.outcome === "unknown" ? "unknown" : status;
}

export const cutRef = (upToSeq: number | "") => `cut:${upToSeq}`;

/** Of entries up to one that a checkpoint covers, before the first of them is deleted; there is one of each checkpoint. */
export function cutEntry({ clock }: Pick<Database, "clock">, upToSeq: number, detail: string): Statement {
  return chained(
    { kind: "ledger.cut", ref: cutRef(upToSeq), at: clock.wall(), members: { actor: service, detail } },
    {
      sql: `exists (select 1 from ledger where seq <= :up_to)
  and exists (select 1 from ledger_checkpoints where seq = :up_to)`,
      args: { up_to: upToSeq },
    },
  );
}

/** Of a job that was ended since its row is damaged: what it would say cannot be read. */
export function damagedEntry(id: string, error: string, at: number): Statement {
  const members = { actor: service, job: id, outcome: "unknown", error };
  return chained(
    { kind: "push", ref: id, at, members },
    {
      sql: `exists (select 1 from jobs where id = :ledger_ref and +status = 'failed' and operation = 'config'
  and (sending_at is not null or lost > 0))`,
      args: {},
    },
  );
}

const lostRow = rowShape(fieldsOf(jobs, "id", "sent"));

/**
 * Of jobs that end while they wait: pushes whose worker was lost while it sent, and that were to be sent again.
 * @param ends their ids, with what each ends as
 */
export async function lostWork(
  database: Database,
  ends: readonly Pick<JobEnd, "id" | "status" | "errorType" | "result">[],
): Promise<EndedWork[]> {
  if (ends.length === 0) return [];
  const { rows } = database.readable(
    lostRow,
    await patientRead(database, {
      sql: `select ${lostRow.columns} from jobs
where id in :ids and +operation = 'config' and lost > 0`,
      args: { ids: ends.map(({ id }) => id) },
    }),
  );
  return rows.flatMap(({ id, sent }) => {
    const end = ends.find((one) => one.id === id);
    const lines = sent === null ? [] : openIntent(database.cipher, sent, id).lines;
    const work: SentWork = { kind: "push", lines: lines.length, sha256: hashOfSent(lines, null) };
    return end === undefined
      ? []
      : [{ ...end, work, result: JSON.stringify({ error: { outcome: "unknown" } }) }];
  });
}

const againMs = 100;

/** What ends a job waits for the store as long as the write that follows. */
async function patientRead(database: Database, statement: Statement): Promise<Rows> {
  const until = performance.now() + endPatienceMs;
  for (;;) {
    try {
      return await database.read(statement);
    } catch (error) {
      const isPassing = error instanceof ServiceError && error.kind === "Unavailable";
      if (!isPassing || performance.now() > until) throw error;
    }
    await pause(againMs);
  }
}

/**
 * Adds an entry to the transaction of what it records, if the condition holds where it stands. It does nothing if
 * there is an entry of that `ref`.
 */
function chained(
  entry: EntryDraft,
  condition: { readonly sql: string; readonly args: Args } = { sql: "true", args: {} },
): Statement {
  return {
    sql: `insert into ledger (seq, at, kind, ref, body, prev, hash, mac, key_id)
select :ledger_seq, :ledger_at, :ledger_kind, :ledger_ref, :ledger_body, :ledger_prev, :ledger_hash, :ledger_mac, :ledger_key
where not exists (select 1 from ledger where ref = :ledger_ref) and (${condition.sql})`,
    args: condition.args,
    entry,
  };
}
