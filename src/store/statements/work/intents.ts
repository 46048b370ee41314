/** Write-ahead records of lines about to be sent: on disk before the first byte is sent. */

import type { Cipher } from "../../cipher.ts";
import type { ClaimFence, Claims } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { either, outOfIndexes, steadyNow } from "../../sql/notation.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import { givenColumns } from "../../sql/statement.ts";
import { placeOf } from "../../tables/columns.ts";
import { jobs } from "../../tables.ts";

interface Intent {
  readonly fence: ClaimFence;
  readonly lines: readonly string[];
  readonly note: string | undefined;
}

/** The content of an encrypted record. */
export interface OpenedIntent {
  readonly lines: readonly string[];
  readonly note?: string;
}

/** A damaged record is reported as such: it does not prove that nothing was sent. */
export function openIntent(cipher: Cipher, sealed: Uint8Array, id: string): OpenedIntent {
  const text = cipher.tryOpen(sealed, placeOf(jobs.sent, id));
  return text === undefined ? { lines: ["(the record of these lines is damaged)"] } : intentOf(text);
}

/** The format is our own: an array of lines, or an object with lines and a note. */
function intentOf(text: string): OpenedIntent {
  const value: unknown = JSON.parse(text);
  if (Array.isArray(value)) return { lines: value.map(String) };
  if (typeof value !== "object" || value === null || !("lines" in value) || !Array.isArray(value.lines))
    return { lines: [] };
  const note = "note" in value && typeof value.note === "string" ? { note: value.note } : {};
  return { lines: value.lines.map(String), ...note };
}

const rowsAtOnce = 50;

/** The claim is still held, no stop was requested, and the node's lease is valid. */
const isHeld = `${outOfIndexes("j.status")} = 'running' and j.node = intent.node and j.generation = intent.generation
  and j.attempt = intent.attempt and j.stop is null
  and exists (select 1 from nodes n where n.name = j.node and n.generation = j.generation
    and n.state <> 'dead' and n.lease_t > ${steadyNow})`;

const idRow = rowShape(fieldsOf(jobs, "id"));
const intentTable = givenColumns("intent", {
  id: "text",
  lines: "bytea",
  node: "text",
  generation: "bigint",
  attempt: "bigint",
});
const recordSql = `with ${intentTable.definition}
update jobs as j set sending_at = :at, sent = intent.lines from intent
where j.id = intent.id and ${isHeld} returning ${either(idRow.columns, "j.id")}`;
const recordFurtherSql = `with ${intentTable.definition}
insert into sendings (job_id, attempt, n, lines)
select j.id, j.attempt, :n, intent.lines from jobs j, intent where j.id = intent.id and ${isHeld}
on conflict (job_id, attempt, n) do update set lines = excluded.lines`;

const stopRow = rowShape(fieldsOf(jobs, "stop"));

export function createRecordIntent(database: Database): Claims["recordIntent"] {
  const { cipher, clock } = database;
  const recordFirst = database.batcher(async (intents: readonly Intent[]): Promise<boolean[]> => {
    const args = { ...intentTable.args(intents.map(rowOf)), at: clock.wall() };
    const [rows] = await database.write([{ sql: recordSql, args }], { repeatable: true });
    const recorded = new Set(database.readable(idRow, rows).rows.map(({ id }) => id));
    return intents.map(({ fence }) => recorded.has(fence.id));
  }, rowsAtOnce);

  async function recordFurther(intent: Intent, n: number): Promise<boolean> {
    const args = { ...intentTable.args([rowOf(intent)]), n };
    const [result] = await database.write([{ sql: recordFurtherSql, args }], { repeatable: true });
    return (result?.changes ?? 0) > 0;
  }

  function rowOf({ fence, lines, note }: Intent) {
    const text = JSON.stringify(note === undefined ? lines : { lines, note });
    const sealed = cipher.seal(text, placeOf(jobs.sent, fence.id));
    return {
      id: fence.id,
      lines: sealed,
      node: fence.name,
      generation: fence.generation,
      attempt: fence.attempt,
    };
  }

  return async (fence, lines, n, note) => {
    const intent = { fence, lines, note };
    if (n === 0 ? await recordFirst(intent) : await recordFurther(intent, n)) return "recorded";
    const [row] = await database.select(stopRow, {
      sql: `select ${stopRow.columns} from jobs where id = :id and +status = 'running'
  and node = :node and generation = :generation and attempt = :attempt`,
      args: { id: fence.id, node: fence.name, generation: fence.generation, attempt: fence.attempt },
    });
    return row?.stop ?? "lost";
  };
}
