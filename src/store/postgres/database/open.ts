/** Opens a database and checks that it is a primary, not newer than this program and encrypted with our key. */
import type { Migration } from "../../../../migrations/index.ts";
import { messageOf, ServiceError } from "../../../base/errors.ts";
import { pause } from "../../../base/time/deadline.ts";
import type { Cipher } from "../../cipher.ts";
import { checkKey } from "../../statements/master-key.ts";
import type { Address } from "./address.ts";
import { connect } from "./client.ts";
import type { Connection } from "./connection.ts";
import { faultOf } from "./faults.ts";
import { migrate } from "./migrate.ts";
import { lockOf, openServer, upgradeLock } from "./server.ts";

/** Tests inject faults with it. */
export type WrapConnection = (connection: Connection, address: Address) => Connection;

const patienceMs = 5_000;

/** @throws ServiceError Unavailable with a message for the operator: newer, unreachable, another master key */
export async function openDatabase(
  address: Address,
  cipher: Cipher,
  wrap: WrapConnection = (connection) => connection,
): Promise<Connection> {
  const until = performance.now() + patienceMs;
  for (;;) {
    let connection: Connection | undefined;
    try {
      await upgrade(address);
      const opened = wrap(openServer(address), address);
      connection = opened;
      await checkKey((statements) => opened.batch(statements), cipher);
      return opened;
    } catch (error) {
      await connection?.close();
      if (error instanceof ServiceError) throw error;
      // All steps are idempotent, so they are retried.
      const isPassing = ["busy", "gone", "crowded", "standby"].includes(faultOf(error));
      if (!isPassing || performance.now() > until) throw unopened(address, error);
      await pause(50 + Math.random() * 100);
    }
  }
}

/** On a connection of its own, without a time limit: a step may rewrite a large table. */
export async function upgrade(address: Address, steps?: readonly Migration[]): Promise<void> {
  const session = connect(address, { max: 1 });
  try {
    await migrate(async (work) => {
      await session.begin(async (sql) => {
        await sql.unsafe(`set local statement_timeout = 0; set local client_min_messages = warning`);
        await sql.unsafe(`select ${lockOf(upgradeLock)}`);
        await work(async (text) => (await sql.unsafe(text).values()).flat().map(String));
      });
    }, steps);
  } finally {
    await session.end({ timeout: 0 });
  }
}

function unopened({ shown, leftOut }: Address, cause: unknown): ServiceError {
  const fault = faultOf(cause);
  const also = leftOut === undefined ? "" : `; ${leftOut}`;
  const message = `The PostgreSQL database ${shown} cannot be opened: ${messageOf(cause)}${also}`;
  return new ServiceError("Unavailable", message, { retryAfter: 5, fault }, { cause });
}
