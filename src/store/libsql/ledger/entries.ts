/** Entries of the ledger as statements of the transactions that they belong to. */

import type { LedgerKind, LedgerOutcome } from "../../../api/ledger.ts";
import { ServiceError } from "../../../base/errors.ts";
import { isRecord } from "../../../base/json/members.ts";
import { hashOfSent } from "../../../base/secrets/sent-hash.ts";
import { pause } from "../../../base/time/deadline.ts";
import type { Actor, JobEnd, SentWork } from "../../port.ts";
import { jobs } from "../../tables.ts";
import { chained } from "../database/chain.ts";
import type { Rows } from "../database/connection.ts";
import type { Database } from "../database/database.ts";
import { fieldsOf, number, orNull, rowShape, text } from "../database/rows/rows.ts";
import type { Args, EntryDraft, Statement } from "../database/statement.ts";
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

const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

function actorOf({ keyId, name, from, submitter }: Actor) {
  const key = isId.test(keyId) ? keyId : undefined;
  const kind = keyId === "command line" ? keyId : key === undefined ? "service" : "key";
  return { kind, name, ...submitter, key, address: from ?? undefined };
}

const newest = (value: string) => `(select ${value} from config_devices d
  join config_versions v on v.device = d.id and v.part = 'running' and v.state = 'good'
  where d.name = lower(j.device) order by v.taken_at desc, v.n desc limit 1)`;
const factsRow = rowShape({
  ...fieldsOf(jobs, "id", "bulkId", "caller", "submitterKind", "submitter", "host", "driver", "device"),
  ...fieldsOf(jobs, "operation", "ticket", "label", "dryRun", "startedAt", "lost"),
  from: orNull(text("from_address", "(select from_address from audit where id = j.audit_id)")),
  who: orNull(text("who", "(select who from audit where id = j.audit_id)")),
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
      sql: `select ${factsRow.columns} from jobs j where j.id in (select value from json_each(:ids))`,
      args: { ids: JSON.stringify(works.map(({ id }) => id)) },
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
  const { bulkId, caller, submitterKind, submitter, from, who, version, compare } = facts;
  return {
    actor: {
      kind: submitterKind ?? "key",
      name: submitter ?? who?.replace(/ \([^()]*\)$/, "") ?? caller,
      key: caller,
      address: from ?? undefined,
    },
    ...{ bulk: bulkId ?? undefined, device: facts.device ?? undefined, host: facts.host },
    ...{ driver: facts.driver, ticket: facts.ticket ?? undefined, note: facts.label ?? undefined },
    dry_run: facts.dryRun === true ? true : undefined,
    started_at: facts.startedAt === null ? undefined : new Date(facts.startedAt).toISOString(),
    before: version === null || compare === null ? undefined : { version, sha256: compare },
  };
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

/** Of entries up to one that a checkpoint covers, before the first of them is deleted; there is one of each checkpoint. */
export function cutEntry({ clock }: Pick<Database, "clock">, upToSeq: number, detail: string): Statement {
  return chained(
    { kind: "ledger.cut", ref: `cut:${upToSeq}`, at: clock.wall(), members: { actor: service, detail } },
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
where id in (select value from json_each(:ids)) and +operation = 'config' and lost > 0`,
      args: { ids: JSON.stringify(ends.map(({ id }) => id)) },
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
