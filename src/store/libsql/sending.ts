/** What is about to be sent is on disk before a byte of it leaves. */

import type { ClaimFence, IntentOutcome } from "../port.ts";
import type { Cipher } from "./cipher.ts";
import { type Database, nowSql } from "./database.ts";
import { createBatcher, rowsOf } from "./gather.ts";
import { seals } from "./seals.ts";

interface Sending {
  readonly fence: ClaimFence;
  readonly lines: readonly string[];
}

/** Our own text: an array of strings. */
function linesOf(text: string): string[] {
  const lines: unknown = JSON.parse(text);
  return Array.isArray(lines) ? lines.map(String) : [];
}

/** A damaged record is told as such: what was sent is not known to be nothing. */
export function sentLines(cipher: Cipher, sealed: Uint8Array, id: string): string[] {
  const text = cipher.tryOpen(sealed, seals.sent(id));
  return text === undefined ? ["(the record of these lines is damaged)"] : linesOf(text);
}

const rowsAtOnce = 50;

/** The claim is still held, nobody asked to stop it, and the life that holds it is not over. */
const held = `+j.status = 'running' and j.node = v.column3 and j.generation = v.column4 and j.attempt = v.column5 and j.stop is null
and exists (select 1 from nodes n where n.name = j.node and n.generation = j.generation and n.state <> 'dead' and n.lease_t > ${nowSql})`;

export function createSending(database: Database) {
  const { cipher, clock } = database;
  const first = createBatcher(async (all: readonly Sending[]): Promise<boolean[]> => {
    const [rows] = await database.write([
      {
        sql: `update jobs as j set sending_at = ?, sent = v.column2 from (values ${rowsOf(all.length, 5)}) v
where j.id = v.column1 and ${held} returning id`,
        args: [clock.wall(), ...all.flatMap(cells), database.now()],
      },
    ]);
    const ids = new Set(rows?.rows.map((row) => row[0]));
    return all.map(({ fence }) => ids.has(fence.id));
  }, rowsAtOnce);

  function cells({ fence, lines }: Sending) {
    const text = cipher.seal(JSON.stringify(lines), seals.sent(fence.id));
    return [fence.id, text, fence.name, fence.generation, fence.attempt];
  }

  /**
   * @param n number of the sending in its attempt, from 0; later ones add to the first.
   * @returns `sent`: it may go out. `cancel`, `worker`: somebody asked to stop it. `lost`: the claim is gone.
   */
  return async (fence: ClaimFence, lines: readonly string[], n: number): Promise<IntentOutcome> => {
    if (n === 0 ? await first({ fence, lines }) : await further(fence, lines, n)) return "recorded";
    const { rows } = await database.read({
      sql: "select stop from jobs where id = ? and +status = 'running' and node = ? and generation = ? and attempt = ?",
      args: [fence.id, fence.name, fence.generation, fence.attempt],
    });
    const why = rows[0]?.[0];
    return why === "cancel" || why === "worker" ? why : "lost";
  };

  async function further(fence: ClaimFence, lines: readonly string[], n: number): Promise<boolean> {
    const [rows] = await database.write([
      {
        sql: `insert into sendings (job_id, attempt, n, lines) select j.id, j.attempt, ?, v.column2
from jobs j, (values ${rowsOf(1, 5)}) v where j.id = v.column1 and ${held}
on conflict (job_id, attempt, n) do update set lines = excluded.lines`,
        args: [n, ...cells({ fence, lines }), database.now()],
      },
    ]);
    return (rows?.changes ?? 0) > 0;
  }
}
