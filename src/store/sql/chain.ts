/**
 * Links entries of the ledger into the transactions that they belong to. A hash cannot be computed in SQL, so the
 * writer asks for it just before it sends a transaction: from the newest entry as this process knows it. If another
 * process has written one since, a trigger refuses the transaction as a whole, and it is linked again. So there is
 * never a fork, and never a gap.
 */
import type { Cipher } from "../cipher.ts";
import { createLinker, noTail, type Tail } from "../ledger-links.ts";
import { ledger } from "../tables.ts";
import type { Reads } from "./database.ts";
import { fieldsOf, type Rows, rowShape } from "./rows.ts";
import type { Statement } from "./statement.ts";

type Connection = Pick<Reads, "read">;

export interface Chain<L extends Linked = Linked> {
  /**
   * Puts the entries among the statements into their places.
   * @returns undefined if there are none
   */
  link(statements: readonly Statement[], connection: Connection): Promise<L | undefined>;
  /**
   * Reads the newest entry after a transaction was refused.
   * @returns whether it is another one than was known: the transaction can be linked again. If not, an entry that was
   *   not written, since its condition did not hold, has others after it.
   */
  moved(connection: Connection): Promise<boolean>;
}

export interface Linked {
  /** One for each of those given, in order, and a last one. */
  readonly statements: readonly Statement[];
  /** @param last of the last statement, once the transaction is committed */
  committed(last: Rows | undefined): void;
}

const tailRow = rowShape(fieldsOf(ledger, "seq", "at", "hash", "mac"));
export const selectTail: Statement = {
  sql: `select ${tailRow.columns} from ledger order by seq desc limit 1`,
  args: {},
};

export const readTail = (rows: Rows | undefined): Tail => tailRow.read(rows)[0] ?? noTail;

export function createChain(cipher: Cipher): Chain {
  const link = createLinker(cipher);
  let tail: Tail | undefined;

  return {
    async link(statements, connection) {
      if (!statements.some(({ entry }) => entry !== undefined)) return undefined;
      tail ??= readTail(await connection.read(selectTail));
      return {
        statements: [...link(tail, statements), selectTail],
        committed(rows) {
          tail = readTail(rows);
        },
      };
    },

    async moved(connection) {
      const known = tail;
      tail = undefined;
      tail = readTail(await connection.read(selectTail));
      return tail.hash !== known?.hash;
    },
  };
}
