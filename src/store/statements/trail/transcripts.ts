/** What pushes sent and received: inserted in the transaction that ends the job, with its hash in the audit trail. */
import type { JobEnd, Transcripts } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { transcripts } from "../../tables.ts";

const transcriptRow = rowShape(fieldsOf(transcripts, ...namesBut(transcripts)));

export function createTranscripts(database: Database): Transcripts {
  return {
    async find(jobId) {
      const [row] = await database.select(transcriptRow, {
        sql: `select ${transcriptRow.columns} from transcripts where job_id = :job_id`,
        args: { job_id: jobId },
      });
      if (row === undefined) return undefined;
      return {
        ...row,
        content: database.cipher.tryOpen(row.content, placeOf(transcripts.content, jobId)) ?? null,
      };
    },
  };
}

/** These run after the row was ended, and do nothing if it was not. */
export function insertTranscript({ cipher }: Database, end: JobEnd, at: number): Statement[] {
  const { id, status, transcript } = end;
  if (transcript === undefined) return [];
  return [
    {
      sql: `insert into transcripts (job_id, at, host, caller, content)
select id, :at, host, caller, :content from jobs
where id = :id and +status = :status on conflict do nothing`,
      args: { id, at, status, content: cipher.seal(transcript.content, placeOf(transcripts.content, id)) },
    },
    {
      sql: `update audit set sent_sha256 = :sha256 where sent_sha256 is null
  and id in (select audit_id from jobs where id = :id and +status = :status)`,
      args: { id, status, sha256: transcript.sha256 },
    },
  ];
}

/** Those that are older than the audit trail is kept. */
export function deleteTranscripts(before: number, most: number): Statement {
  return {
    sql: `delete from transcripts
where job_id in (select job_id from transcripts where at < :before order by at limit ${most})`,
    args: { before },
  };
}
