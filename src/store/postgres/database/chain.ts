/**
 * Links entries of the ledger into the transactions that they belong to. A hash cannot be computed in SQL, so the
 * writer asks for it just before it sends a transaction: from the newest entry as this process knows it. If another
 * process has written one since, a trigger refuses the transaction as a whole, and it is linked again. So there is
 * never a fork, and never a gap.
 */
import { createSecretKey } from "node:crypto";
import { chainStart, hashLink, macLink } from "../../../base/hash-chain.ts";
import { canonicalJson } from "../../../base/json/canonical.ts";
import type { Cipher } from "../../cipher.ts";
import { ledger } from "../tables.ts";
import type { Connection, Rows } from "./connection.ts";
import { fieldsOf, rowShape } from "./rows/rows.ts";
import type { Args, EntryDraft, Statement } from "./statement.ts";

export interface Chain {
  /**
   * Puts the entries among the statements into their places.
   * @returns undefined if there are none
   */
  link(statements: readonly Statement[], connection: Connection): Promise<Linked | undefined>;
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

interface Tail {
  readonly seq: number;
  readonly at: number;
  readonly hash: string;
  readonly mac: string;
}

const tailRow = rowShape(fieldsOf(ledger, "seq", "at", "hash", "mac"));
const selectTail: Statement = {
  sql: `select ${tailRow.columns} from ledger order by seq desc limit 1`,
  args: {},
};
const none: Tail = { seq: 0, at: 0, hash: chainStart, mac: chainStart };

/**
 * Adds an entry to the transaction of what it records, if the condition holds where it stands. It does nothing if
 * there is an entry of that `ref`.
 */
export function chained(
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

export function createChain({ keyId, ledgerKey }: Cipher): Chain {
  const key = createSecretKey(ledgerKey);
  let tail: Tail | undefined;

  function next(before: Tail, { kind, ref, at: wanted, members }: EntryDraft): Tail & { args: Args } {
    const seq = before.seq + 1;
    const at = Math.max(wanted, before.at);
    const body = canonicalJson({ ...members, v: 1, seq, at: new Date(at).toISOString(), kind, ref });
    const hash = hashLink(before.hash, body);
    const mac = macLink(key, before.mac, body);
    return {
      ...{ seq, at, hash, mac },
      args: {
        ...{ ledger_seq: seq, ledger_at: at, ledger_kind: kind, ledger_ref: ref, ledger_body: body },
        ...{ ledger_prev: before.hash, ledger_hash: hash, ledger_mac: mac, ledger_key: keyId },
      },
    };
  }

  const read = (rows: Rows | undefined) => tailRow.read(rows)[0] ?? none;

  return {
    async link(statements, connection) {
      if (!statements.some(({ entry }) => entry !== undefined)) return undefined;
      tail ??= read(await connection.read(selectTail));
      let last = tail;
      const linked = statements.map(({ sql, args, entry }): Statement => {
        if (entry === undefined) return { sql, args };
        const linked = next(last, entry);
        last = linked;
        return { sql, args: { ...args, ...linked.args } };
      });
      return {
        statements: [...linked, selectTail],
        committed(rows) {
          tail = read(rows);
        },
      };
    },

    async moved(connection) {
      const known = tail;
      tail = undefined;
      tail = read(await connection.read(selectTail));
      return tail.hash !== known?.hash;
    },
  };
}
