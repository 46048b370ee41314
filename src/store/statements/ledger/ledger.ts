/** The ledger: reads its entries, keeps checkpoints, and compares it with the jobs and the history. */
import * as v from "valibot";
import { transcriptContent } from "../../../api/jobs/transcript.ts";
import { ledgerActs, ledgerWork } from "../../../api/ledger/ledger.ts";
import { hashOfSent } from "../../../base/secrets/sent-hash.ts";
import type { Ledger, LedgerConditions } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { either } from "../../sql/notation.ts";
import { fieldsOf, number, orNull, rowShape, text, truth } from "../../sql/rows.ts";
import type { Args } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { configVersions, jobs, ledger, ledgerCheckpoints, transcripts } from "../../tables.ts";
import { cutEntry, cutRef } from "./entries.ts";
import { createLedgerKeys } from "./keys.ts";

const entryRow = rowShape(fieldsOf(ledger, ...namesBut(ledger)));
const checkpointRow = rowShape(fieldsOf(ledgerCheckpoints, ...namesBut(ledgerCheckpoints)));
const personRow = rowShape({
  asked: text("asked", "one.value"),
  id: text("id", "persons.id"),
  name: text("name", "persons.name"),
});
const transcriptRow = rowShape(fieldsOf(transcripts, "jobId", "content"));
const sentContent = v.pick(transcriptContent, ["lines", "dialogue"]);
const newCheckpoint = written(ledgerCheckpoints, ...namesBut(ledgerCheckpoints, "n"));
const countRow = rowShape({ ...fieldsOf(ledger, "kind"), count: number("count", "count(*)") });
const lastRow = rowShape({ seq: number("last", "coalesce(max(seq), 0)") });

/** By inventory name; of a job for a host by its address. The index is of this expression. */
const deviceOf = (row = "") =>
  `lower(coalesce(${row}body ->> '$.device', ${row}body ->> '$.host')${either("", ' collate "C"')})`;

/** What happened before the oldest entry is not known. */
const oldest = "(select min(at) from ledger)";
const pushRow = rowShape({
  ...fieldsOf(jobs, "seq", "id"),
  hasEntry: truth("has_entry", "exists (select 1 from ledger where ref = j.id)"),
});

const seenBefore = `(select p.seen_at from config_versions p where p.device = v.device and p.part = v.part
  and p.state = 'good' and (p.taken_at, p.n) < (v.taken_at, v.n) order by p.taken_at desc, p.n desc limit 1)`;
/** Names that the device had, and its address. */
const namesOfDevice = `(select lower(shown) from config_names where device = v.device union select name from config_devices where id = v.device
  union select lower(host) from config_devices where id = v.device)`;
const words = (kinds: readonly string[]) => kinds.map((kind) => `'${kind}'`).join(", ");
const kindsOfWork = words(ledgerWork);
const startOf = either(
  "coalesce(unixepoch(e.body ->> '$.started_at', 'subsec') * 1000, e.at)",
  "coalesce((extract(epoch from (e.body ->> '$.started_at')::timestamptz) * 1000)::bigint, e.at)",
);
const explained = `(exists (select 1 from ledger where ref = v.cause_job_id)
  or coalesce(${seenBefore}, 0) < coalesce(${oldest}, 0)
  or exists (select 1 from ledger e where ${deviceOf("e.")} in ${namesOfDevice}
    and e.kind in (${kindsOfWork}) and e.body ->> '$.dry_run' is null
    and e.at >= ${seenBefore} and ${startOf} <= v.taken_at))`;
const versionRow = rowShape({
  ...fieldsOf(configVersions, ...namesBut(configVersions)),
  name: text("name", "(select shown from config_devices where id = v.device)"),
  host: text("host", "(select host from config_devices where id = v.device)"),
  unchangedUntil: orNull(number("unchanged_until", seenBefore)),
  isExplained: truth("is_explained", explained),
});
const plainVersionRow = rowShape(fieldsOf(configVersions, ...namesBut(configVersions)));

/** Rows that are deleted in one transaction. */
const cutAtOnce = 500;
const dayMs = 86_400_000;
/** Of the newest end of retention; see `cutEntry`. */
const cutUpTo = `coalesce((select cast(substr(ref, ${cutRef("").length + 1}) as bigint) from ledger
  where kind = 'ledger.cut' order by seq desc limit 1), 0)`;

export function createLedger(database: Database): Ledger {
  const { cipher, makeId } = database;

  const entries = (where: string, order: string, args: Args, limit: number) =>
    database.page(entryRow, limit, (most) => ({
      sql: `select ${entryRow.columns} from ledger ${where} order by ${order} limit :most`,
      args: { ...args, most },
    }));

  const checkpoints = (rest: string, args: Args) =>
    database.list(checkpointRow, {
      sql: `select ${checkpointRow.columns} from ledger_checkpoints ${rest}`,
      args,
    });

  const versions = (where: string, order: "asc" | "desc", args: Args, limit: number) =>
    database.page(versionRow, limit, (most) => ({
      sql: `select ${versionRow.columns} from config_versions v
where v.state = 'good' and v.source <> 'import' and ${where} order by v.n ${order} limit :most`,
      args: { ...args, most },
    }));

  return {
    ...createLedgerKeys(database),

    page(conditions, limit) {
      const { where, args } = whereOf(conditions);
      return entries(where, "seq desc", args, limit);
    },

    after: (seq, limit) => entries("where seq > :seq", "seq", { seq }, limit),
    last: async () => (await entries("", "seq desc", {}, 1))[0],

    async counts(after, upTo) {
      const rows = await database.list(countRow, {
        sql: `select ${countRow.columns} from ledger where seq > :after and seq <= :up_to group by kind`,
        args: { after, up_to: upTo },
      });
      return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
    },

    async total() {
      const [row] = await database.list(lastRow, { sql: `select ${lastRow.columns} from ledger`, args: {} });
      return row?.seq ?? 0;
    },

    async addCheckpoint(checkpoint) {
      const { seq, at, body, signature } = checkpoint;
      const [, added] = await database.write([
        {
          sql: `insert into notices (id, kind, subject, at, detail) select :id, 'ledger.checkpoint', :subject, :at, :detail
where exists (select 1 from webhooks) and not exists (select 1 from ledger_checkpoints where seq = :seq)`,
          args: {
            ...{ id: makeId(), subject: String(seq), seq, at },
            detail: `{"checkpoint":${body},"signature":${JSON.stringify(signature)}}`,
          },
        },
        {
          sql: `insert into ledger_checkpoints (${newCheckpoint.columns}) values (${newCheckpoint.parameters})
on conflict do nothing`,
          args: newCheckpoint.values(cipher, checkpoint),
        },
      ]);
      return (added?.changes ?? 0) > 0;
    },

    async pruneCheckpoints(kept) {
      const [deleted] = await database.write(
        [
          {
            sql: `delete from ledger_checkpoints where n in (
  select n from ledger_checkpoints old where pending is null and seq <> ${cutUpTo}
    and seq < (select seq from ledger_checkpoints order by seq desc limit 1 offset :kept)
    and (seq < ${cutUpTo} or (select at from ledger_checkpoints later where later.seq > old.seq order by later.seq limit 1)
      / ${dayMs} = at / ${dayMs})
  order by seq limit ${cutAtOnce})`,
            args: { kept: kept - 1 },
          },
        ],
        { essential: true },
      );
      return deleted?.changes ?? 0;
    },

    checkpoints: (seq, limit) => checkpoints("where seq >= :seq order by seq limit :limit", { seq, limit }),
    newestCheckpoint: async () => (await checkpoints("order by seq desc limit 1", {}))[0],
    checkpointBefore: async (at) =>
      (await checkpoints("where at < :at order by seq desc limit 1", { at }))[0],
    pendingCheckpoints: (limit) =>
      checkpoints("where pending is not null order by seq limit :limit", { limit }),
    async setPending(n, pending) {
      await database.write([
        { sql: "update ledger_checkpoints set pending = :pending where n = :n", args: { n, pending } },
      ]);
    },

    acts: (changes) =>
      database.list(entryRow, {
        sql: `select ${entryRow.columns} from ledger indexed by ledger_change
where body ->> '$.change' in :changes and kind in (${words(ledgerActs)}) order by seq`,
        args: { changes },
      }),

    async personsBehind(ids) {
      const rows = await database.list(personRow, {
        sql: `select ${personRow.columns} from each(:ids) one join persons on persons.id
  = coalesce((select person_id from keys where keys.id = one.value), one.value)`,
        args: { ids },
      });
      return new Map(rows.map(({ asked, id, name }) => [asked, { id, name }]));
    },

    async sentHashes(jobIds) {
      const rows = await database.list(transcriptRow, {
        sql: `select ${transcriptRow.columns} from transcripts where job_id in :ids`,
        args: { ids: jobIds },
      });
      return new Map(
        rows.map(({ jobId, content }) => {
          const text = cipher.tryOpen(content, placeOf(transcripts.content, jobId));
          const read = text === undefined ? undefined : v.safeParse(sentContent, JSON.parse(text));
          return [jobId, read?.success ? hashOfSent(read.output.lines, read.output.dialogue) : null];
        }),
      );
    },

    endedPushes: (afterSeq, limit) =>
      database.page(pushRow, limit, (most) => ({
        sql: `select ${pushRow.columns} from jobs j where seq > :seq and operation = 'config'
  and ended_at > coalesce(${oldest}, 0) and (sending_at is not null or lost > 0) order by seq limit :most`,
        args: { seq: afterSeq, most },
      })),

    versions: (afterN, limit) => versions("v.n > :after", "asc", { after: afterN }, limit),

    async outside({ since, until, beforeN, device }, limit) {
      const terms = [
        ...(since === undefined ? [] : ["v.taken_at >= :since"]),
        ...(until === undefined ? [] : ["v.taken_at < :until"]),
        ...(beforeN === undefined ? [] : ["v.n < :before"]),
        ...(device === undefined ? [] : ["v.device = (select id from config_devices where name = :device)"]),
      ];
      const args = {
        ...(since === undefined ? {} : { since }),
        ...(until === undefined ? {} : { until }),
        ...(beforeN === undefined ? {} : { before: beforeN }),
        ...(device === undefined ? {} : { device }),
      };
      return versions(terms.join(" and ") || "true", "desc", args, limit);
    },

    versionsAfter: (jobIds) =>
      database.list(plainVersionRow, {
        sql: `select ${plainVersionRow.columns} from config_versions
where cause_job_id in :ids and cause_job_id is not null
  and part = 'running' and state = 'good' order by n`,
        args: { ids: jobIds },
      }),

    async cut(upToSeq, detail) {
      const [, deleted] = await database.write(
        [
          cutEntry(database, upToSeq, detail),
          {
            sql: `delete from ledger where seq in (select seq from ledger where seq <= :up_to
  and exists (select 1 from ledger_checkpoints where seq = :up_to) order by seq limit ${cutAtOnce})`,
            args: { up_to: upToSeq },
          },
        ],
        { essential: true },
      );
      return deleted?.changes ?? 0;
    },
  };
}

function whereOf({ since, until, beforeSeq, kind, device, job, ticket, change }: LedgerConditions) {
  const terms: string[] = [];
  const args: Record<string, string | number> = {};
  const add = (name: string, value: string | number | undefined, term: string) => {
    if (value === undefined) return;
    terms.push(term);
    args[name] = value;
  };
  add("before", beforeSeq, "seq < :before");
  // Times of the chain never go back: a range of times is one of numbers.
  add(
    "since",
    since,
    "seq >= (select seq from ledger indexed by ledger_at where at >= :since order by at, seq limit 1)",
  );
  add(
    "until",
    until,
    "seq < coalesce((select min(seq) from ledger indexed by ledger_at where at >= :until), 9000000000000000)",
  );
  add("kind", kind, "kind = :kind");
  add("device", device, `${deviceOf()} = :device`);
  add("job", job, "ref = :job");
  add("ticket", ticket, "body ->> '$.ticket' = :ticket");
  add("change", change, "body ->> '$.change' = :change");
  return { where: terms.length === 0 ? "" : `where ${terms.join(" and ")}`, args };
}
