/**
 * The chain of a PostgreSQL server: while others write entries too, the newest one is read first, in the transaction.
 */
import type { Cipher } from "../../cipher.ts";
import { createLinker, type Tail } from "../../ledger-links.ts";
import { type Chain, type Linked, readTail, selectTail } from "../../sql/chain.ts";
import type { Rows } from "../../sql/rows.ts";
import type { Lead } from "./connection.ts";

export interface LeadLinked extends Linked {
  /** The newest entry, if others write too: then the statements are linked to it. */
  readonly lead: Lead | undefined;
}

export function createChain(cipher: Cipher): Chain<LeadLinked> {
  const link = createLinker(cipher);
  let tail: Tail | undefined;
  /** As seen the last time. */
  let othersWrite = false;

  return {
    async link(statements, connection) {
      if (!statements.some(({ entry }) => entry !== undefined)) return undefined;
      const committed = (rows: Rows | undefined) => {
        tail = readTail(rows);
      };
      if (!othersWrite) {
        tail ??= readTail(await connection.read(selectTail));
        return { statements: [...link(tail, statements), selectTail], lead: undefined, committed };
      }
      const lead: Lead = {
        first: selectTail,
        complete(rows) {
          const newest = readTail(rows);
          othersWrite = newest.hash !== tail?.hash;
          tail = newest;
          return [...link(newest, statements), selectTail];
        },
      };
      return { statements: [...statements, selectTail], lead, committed };
    },

    async moved(connection) {
      const known = tail;
      tail = undefined;
      tail = readTail(await connection.read(selectTail));
      othersWrite = tail.hash !== known?.hash;
      return othersWrite;
    },
  };
}
