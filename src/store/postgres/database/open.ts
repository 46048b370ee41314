/** Opens a database and checks that it is a primary, not newer than this program and encrypted with our key. */
import type { Migration } from "../../../../migrations/index.ts";
import { messageOf, ServiceError } from "../../../base/errors.ts";
import { pause } from "../../../base/time/deadline.ts";
import type { Cipher } from "../../cipher.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import { keyCheck, meta } from "../../tables.ts";
import type { Address } from "./address.ts";
import { connect } from "./client.ts";
import type { Connection } from "./connection.ts";
import { faultOf } from "./faults.ts";
import { migrate } from "./migrate.ts";
import { lockOf, openServer, upgradeLock } from "./server.ts";

/** Tests inject faults with it. */
export type WrapConnection = (connection: Connection, address: Address) => Connection;

const patienceMs = 5_000;
const wordRow = rowShape(fieldsOf(meta, "value"));

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
      connection = wrap(openServer(address), address);
      await checkKey(connection, cipher);
      return connection;
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

/** The first start stores an encrypted word; a key that does not decrypt it would make every job unreadable. */
async function checkKey(connection: Connection, cipher: Cipher): Promise<void> {
  const word = Buffer.from(cipher.seal("patchbay", keyCheck)).toString("base64");
  const [, rows] = await connection.batch([
    {
      sql: "insert into meta (key, value) values ('key', :word) on conflict (key) do nothing",
      args: { word },
    },
    { sql: `select ${wordRow.columns} from meta where key = 'key'`, args: {} },
  ]);
  const [stored] = wordRow.read(rows);
  try {
    cipher.open(Buffer.from(stored?.value ?? "", "base64"), keyCheck);
  } catch (error) {
    const message =
      "This database was encrypted with another master key. Provide the right one (PATCHBAY_MASTER_KEY, or the file master.key of the data directory).";
    throw new ServiceError("Unavailable", message, { reason: otherMasterKey }, { cause: error });
  }
}

/** `reason` of the error, as of the other stores. */
const otherMasterKey = "OtherMasterKey";

function unopened({ shown, leftOut }: Address, cause: unknown): ServiceError {
  const fault = faultOf(cause);
  const also = leftOut === undefined ? "" : `; ${leftOut}`;
  const message = `The PostgreSQL database ${shown} cannot be opened: ${messageOf(cause)}${also}`;
  return new ServiceError("Unavailable", message, { retryAfter: 5, fault }, { cause });
}
