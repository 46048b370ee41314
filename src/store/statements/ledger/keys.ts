/** Keys of the ledger: one for the macs of each master key, and the one that signs checkpoints. */

import { workingChanges } from "../../../api/changes/change.ts";
import type { Ledger, SigningKey } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { placeOf } from "../../tables/columns.ts";
import { changes, ledger, ledgerKeys } from "../../tables.ts";
import { begunBefore, itself, ledgerEntry } from "./entries.ts";

const keyRow = rowShape(fieldsOf(ledgerKeys, "id", "publicKey", "secret"));
const idRow = rowShape(fieldsOf(ledgerKeys, "id"));
const lastKeyRow = rowShape(fieldsOf(ledger, "keyId"));
const begunRow = rowShape(fieldsOf(changes, "id", "state", "revision", "hash", "ticket"));
const newKey = written(ledgerKeys, "id", "purpose", "publicKey", "secret", "createdAt");

/**
 * Keeps the key of this master key's macs, which a later master key could not derive any more, and says in the ledger
 * that it began, or goes on with another key.
 */
export async function beginLedger(database: Database): Promise<void> {
  await beginKey(database);
  await beginChanges(database);
}

/** An earlier version of the service may have started changes without an entry: their pushes have one before them. */
async function beginChanges(database: Database): Promise<void> {
  const working = workingChanges.map((state) => `'${state}'`).join(", ");
  const begun = await database.list(begunRow, {
    sql: `select ${begunRow.columns} from changes indexed by changes_open where ended_at is null and state in (${working})
  and not exists (select 1 from ledger where body ->> '$.change' = changes.id and kind in ('change.start', 'change.return'))`,
    args: {},
  });
  for (const change of begun) await database.write([begunBefore(database, change)]);
}

async function beginKey(database: Database): Promise<void> {
  const { cipher, clock } = database;
  const known = await database.list(idRow, {
    sql: `select ${idRow.columns} from ledger_keys where id = :id`,
    args: { id: cipher.keyId },
  });
  if (known.length > 0) return;
  const [last] = await database.list(lastKeyRow, {
    sql: `select ${lastKeyRow.columns} from ledger order by seq desc limit 1`,
    args: {},
  });
  const isNew = { sql: "not exists (select 1 from ledger_keys where id = :id)", args: { id: cipher.keyId } };
  const entry =
    last === undefined
      ? ledgerEntry(database, "ledger.begin", itself, {}, isNew)
      : ledgerEntry(
          database,
          "masterkey.rotate",
          itself,
          { detail: `${last.keyId} to ${cipher.keyId}` },
          isNew,
        );
  const secret = Buffer.from(cipher.ledgerKey).toString("hex");
  await database.write([
    entry,
    addKey(database, { id: cipher.keyId, purpose: "mac", secret, createdAt: clock.wall() }),
  ]);
}

function addKey({ cipher }: Database, key: Parameters<typeof newKey.values>[1]): Statement {
  return {
    sql: `insert into ledger_keys (${newKey.columns}) values (${newKey.parameters}) on conflict do nothing`,
    args: newKey.values(cipher, key),
  };
}

export function createLedgerKeys(database: Database): Pick<Ledger, "macKeys" | "signingKey"> {
  const { cipher, clock } = database;
  const secretOf = ({ id, secret }: { readonly id: string; readonly secret: Uint8Array }) =>
    cipher.open(secret, placeOf(ledgerKeys.secret, id));

  async function signing(): Promise<SigningKey | undefined> {
    const [row] = await database.select(keyRow, {
      sql: `select ${keyRow.columns} from ledger_keys where purpose = 'sign' order by created_at, id limit 1`,
      args: {},
    });
    return row && { id: row.id, publicKey: row.publicKey ?? "", privateKey: secretOf(row) };
  }

  return {
    async macKeys() {
      const rows = await database.list(keyRow, {
        sql: `select ${keyRow.columns} from ledger_keys where purpose = 'mac'`,
        args: {},
      });
      return new Map(
        rows.flatMap((row) => {
          const secret = cipher.tryOpen(row.secret, placeOf(ledgerKeys.secret, row.id));
          return secret === undefined ? [] : [[row.id, Buffer.from(secret, "hex")] as const];
        }),
      );
    },

    async signingKey(make) {
      const known = await signing();
      if (known !== undefined) return known;
      const { id, publicKey, privateKey } = make();
      const added = addKey(database, {
        id,
        purpose: "sign",
        publicKey,
        secret: privateKey,
        createdAt: clock.wall(),
      });
      const none = "where not exists (select 1 from ledger_keys where purpose = 'sign')";
      await database.write([
        {
          ...added,
          sql: `insert into ledger_keys (${newKey.columns}) select ${newKey.parameters} ${none}`,
        },
      ]);
      return (await signing()) ?? { id, publicKey, privateKey };
    },
  };
}
