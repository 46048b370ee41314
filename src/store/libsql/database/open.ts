/**
 * Opens a database and checks that it is intact, not newer than this program and encrypted with our key; waits for
 * locks.
 */
import { existsSync, statSync } from "node:fs";
import { messageOf, ServiceError } from "../../../base/errors.ts";
import { pause } from "../../../base/time/deadline.ts";
import type { Cipher } from "../../cipher.ts";
import { rowShape, text } from "../../sql/rows.ts";
import { checkKey } from "../../statements/master-key.ts";
import { openConnection } from "./connect.ts";
import type { Connection, Target } from "./connection.ts";
import { faultOf } from "./faults.ts";
import { writerOf } from "./file/holder.ts";
import { migrate } from "./migrate.ts";

export interface OpenedDatabase {
  /** For the serial writer. */
  readonly connection: Connection;
  /** For reads; the same connection if the server handles many requests at once. */
  readonly reader: Connection;
}

/** Tests inject faults with it. */
export type WrapConnection = (connection: Connection, target: Target) => Connection;

const patienceMs = 5_000;
/** Larger files would take seconds to check; SQLite still reports damage that it encounters. */
const checkedBytes = 256 * 1024 * 1024;
const checkRow = rowShape({ found: text("quick_check") });
const whatToDo =
  "Nothing was changed. Restore a backup in its place, or move it (with -wal and -shm) away to start empty.";

/** @throws ServiceError Unavailable with a message for the operator: damaged, newer, unreachable, another master key */
export async function openDatabase(
  target: Target,
  cipher: Cipher,
  wrap: WrapConnection | undefined,
): Promise<OpenedDatabase> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const opened: Connection[] = [];
    try {
      return await open(target, cipher, wrap, opened);
    } catch (error) {
      for (const connection of opened) connection.close();
      if (error instanceof ServiceError)
        throw error.kind === "Internal" ? damaged(target, error.message, error) : error;
      // Another process may hold the lock briefly (a command beside the service, or the service beside a command), and
      // a server may lose a response. All steps are idempotent, so they are retried.
      const fault = faultOf(error);
      const passing = fault === "busy" || fault === "crowded" || (target.shared && fault === "ambiguous");
      if (!passing || performance.now() > until) throw unopened(target, error);
      await pause(20 + Math.random() * 50);
    }
  }
}

async function open(
  target: Target,
  cipher: Cipher,
  wrap: WrapConnection | undefined,
  opened: Connection[],
): Promise<OpenedDatabase> {
  const connect = async (saves = false) => {
    const bare = await openConnection({ ...target, saves });
    const connection = wrap?.(bare, target) ?? bare;
    opened.push(connection);
    return connection;
  };
  const existed = !target.shared && existsSync(target.at) && statSync(target.at).size > 0;
  const connection = await connect(target.saves);
  if (existed) await checkWhole(connection, target);
  await migrate(connection, undefined, target.upgrading);
  await checkKey((statements) => connection.batch(statements), cipher);
  return { connection, reader: target.shared ? connection : await connect() };
}

async function checkWhole(connection: Connection, target: Target): Promise<void> {
  if (statSync(target.at).size > checkedBytes) return;
  const [check] = checkRow.read(
    await connection.read({
      sql: `select ${checkRow.columns} from pragma_quick_check(1)`,
      args: {},
    }),
  );
  if (check?.found !== "ok") throw damaged(target, check?.found ?? "");
}

function unopened(target: Target, cause: unknown): ServiceError {
  const why = messageOf(cause);
  const fault = faultOf(cause);
  if (fault === "broken") return damaged(target, why, cause);
  // A URL may contain a password.
  const at =
    target.shared && URL.canParse(target.at) ? `server ${new URL(target.at).host}` : `file ${target.at}`;
  const writer = fault === "busy" && !target.shared ? writerOf(target.at) : undefined;
  const message =
    writer === undefined
      ? `The database ${at} cannot be opened: ${why}`
      : `The database ${at} is locked by ${writer}. Wait until that process has finished, or end it.`;
  return new ServiceError("Unavailable", message, { retryAfter: 5, fault }, { cause });
}

function damaged(target: Target, why: string, cause?: unknown): ServiceError {
  const message = `The database file ${target.at} is damaged (${why}). ${whatToDo}`;
  return new ServiceError("Unavailable", message, undefined, { cause });
}
