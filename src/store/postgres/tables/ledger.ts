/** Tables of the ledger: its entries, its keys, and the checkpoints that were signed. */
import { sql } from "drizzle-orm";
import { index, text } from "drizzle-orm/pg-core";
import { counted, type Row, sealed, table, whole } from "./columns.ts";

/** Its inventory name, or the address of a job for a host. */
const deviceOf = sql`lower(coalesce(body ->> '$.device', body ->> '$.host'))`;
const ticketOf = sql`body ->> '$.ticket'`;
const changeOf = sql`body ->> '$.change'`;

/** Only appended to: triggers refuse an entry that does not follow the newest one, and every change. */
export const ledger = table(
  "ledger",
  {
    seq: whole("seq").primaryKey(),
    at: whole("at").notNull(),
    kind: text("kind").notNull(),
    /** The job, or an id of the request: a request that is repeated after a lost answer adds nothing. */
    ref: text("ref").notNull().unique(),
    /** The canonical JSON that is hashed. */
    body: text("body").notNull(),
    /** The hash of the entry before. */
    prev: text("prev").notNull(),
    hash: text("hash").notNull(),
    mac: text("mac").notNull(),
    /** Of the key of the mac. */
    keyId: text("key_id").notNull(),
  },
  (entry) => [
    index("ledger_at").on(entry.at),
    index("ledger_kind").on(entry.kind, entry.seq),
    index("ledger_device").on(deviceOf, entry.seq),
    index("ledger_ticket").on(ticketOf, entry.seq).where(sql`body ->> '$.ticket' is not null`),
    index("ledger_change").on(changeOf, entry.seq).where(sql`body ->> '$.change' is not null`),
  ],
);

/** Keys of macs, one for each master key, and the one that signs checkpoints. */
export const ledgerKeys = table("ledger_keys", {
  id: text("id").primaryKey(),
  purpose: text("purpose", { enum: ["mac", "sign"] }).notNull(),
  /** PEM; null for a key of macs. */
  publicKey: text("public_key"),
  secret: sealed("secret").notNull(),
  createdAt: whole("created_at").notNull(),
});

export const ledgerCheckpoints = table("ledger_checkpoints", {
  n: counted("n"),
  seq: whole("seq").notNull().unique(),
  at: whole("at").notNull(),
  /** The canonical JSON that is signed. */
  body: text("body").notNull(),
  signature: text("signature").notNull(),
  /** Places that it has yet to be sent to; null: none. */
  pending: text("pending"),
});

export type LedgerRow = Row<typeof ledger>;
export type LedgerCheckpointRow = Row<typeof ledgerCheckpoints>;
