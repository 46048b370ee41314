/** Creates the store on a PostgreSQL server: opens the database and assembles the parts. */
import { ServiceError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import { createCipher } from "../cipher.ts";
import { createClock } from "../clock.ts";
import { directoryIdOf } from "../libsql/directory-identity.ts";
import type { Ownership, Store } from "../port.ts";
import type { Rows } from "../sql/rows.ts";
import { aspectsOf } from "../statements/aspects.ts";
import { beginLedger } from "../statements/ledger/keys.ts";
import { addressOf } from "./database/address.ts";
import { createChain } from "./database/chain.ts";
import { primaryOf } from "./database/client.ts";
import type { Connection } from "./database/connection.ts";
import { createDatabase } from "./database/database.ts";
import { unknownSteps } from "./database/migrate.ts";
import { openDatabase, type WrapConnection } from "./database/open.ts";
import { guardPrimary } from "./database/primary.ts";
import { type Watch, watchOthers } from "./database/watch.ts";
import { createWriter } from "./database/writer.ts";

export interface StoreOptions {
  /** Data directory; one process owns it. Only what identifies this node is in it. */
  readonly directory: string;
  /** False: a command next to the running service, which owns the directory. */
  readonly ownsDirectory?: boolean | undefined;
  /** The lock on the directory. */
  readonly ownership: Ownership;
  /** `postgres://…` */
  readonly url: string;
  /** The password, if the URL has none. */
  readonly token?: Secret | undefined;
  /** A 32-byte key that encrypts, and former keys that still decrypt. */
  readonly masterKey: Uint8Array;
  readonly formerKeys?: readonly Uint8Array[] | undefined;
  readonly log: Log;
  /** Default timeout of a write; 2,500 if absent. */
  readonly patienceMs?: number | undefined;
  /** Tests inject faults with it. */
  readonly wrap?: WrapConnection | undefined;
}

export interface PostgresStore extends Store {
  /** For tests only; the service never uses it. */
  raw(sql: string): Promise<Rows>;
}

/** @throws ServiceError Unavailable with a message for the operator: newer, unreachable, wrong key */
export async function createStore(options: StoreOptions): Promise<PostgresStore> {
  const { directory, log, ownsDirectory = true, ownership } = options;
  const address = addressOf(options.url, options.token);
  if (address.leftOut !== undefined) log.warn("store.password_file_left_out", { reason: address.leftOut });
  const cipher = createCipher(options.masterKey, options.formerKeys);
  const connection = await openDatabase(address, cipher, options.wrap);
  const clock = createClock();
  const chain = createChain(cipher);
  const writer = createWriter({ connection, chain, log, patienceMs: options.patienceMs });
  const watch = address.listens && ownsDirectory ? watchOthers(address, connection.name, log) : undefined;
  const database = createDatabase({ writer, watch, reader: connection, cipher, clock, log });
  await beginLedger(database);
  const primary = address.hosts.length > 1 ? primaryOf(address) : undefined;
  // Commands next to the service end before a fail-over does.
  const unguard =
    primary && ownsDirectory ? guardPrimary(primary, () => renew(connection, watch), log) : undefined;
  return {
    home: { id: ownsDirectory ? directoryIdOf(directory) : "", copied: undefined, advance: async () => {} },
    ownership,
    ...aspectsOf(database, (options.formerKeys ?? []).length > 0),
    full: writer.full,
    // Loaded on demand: asked at the start and by doctor.
    doubts: async () =>
      (await import("./database/durability.ts")).doubtsOf(connection, primary?.rivals() ?? []),
    newer: () => unknownSteps(connection),
    async backup() {
      throw new ServiceError(
        "BadRequest",
        "The database is on a PostgreSQL server: back it up there, with pg_dump or pg_basebackup (docs/guides/high-availability.md#backup), and keep the master key apart.",
      );
    },
    async close() {
      unguard?.();
      await watch?.close();
      await writer.close();
    },
    raw: (sql) => connection.read({ sql, args: {} }),
  };
}

async function renew(connection: Connection, watch: Watch | undefined): Promise<void> {
  await Promise.all([connection.reopen(), watch?.renew()]);
}
