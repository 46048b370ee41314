/** Opens and checks a database: whole, not newer than we are, sealed with our key; patient with those who hold its lock. */
import { existsSync, statSync } from "node:fs";
import { pause } from "../../base/deadline.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Cipher } from "./cipher.ts";
import { type Connection, openConnection, type Target } from "./connect.ts";
import { faultOf } from "./faults.ts";
import { migrate } from "./migrate.ts";
import { seals } from "./seals.ts";

export interface Opened {
  /** For the serial writer. */
  readonly link: Connection;
  /** Beside it; the same one where the server takes many at once. */
  readonly reader: Connection;
}

/** Tests put faults between. */
export type WrapConnection = (link: Connection, place: Target) => Connection;

const patienceMs = 5_000;
/** Larger files take seconds to read through; SQLite still reports what it meets. */
const checkedBytes = 256 * 1024 * 1024;
const whatToDo =
  "Nothing was changed. Restore a backup in its place, or move it (with -wal and -shm) away to start empty.";

/** @throws ServiceError Unavailable with a text for the operator: damaged, newer, unreachable, another master key. */
export async function openDatabase(
  place: Target,
  cipher: Cipher,
  wrap: WrapConnection | undefined,
): Promise<Opened> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const links: Connection[] = [];
    try {
      return await open(place, cipher, wrap, links);
    } catch (error) {
      for (const link of links) link.close();
      if (error instanceof ServiceError) throw error;
      // Another process may hold the lock for a moment: a command beside the service, or the service beside a command.
      // A server may lose an answer. All of it is safe to be done again.
      const passing = faultOf(error) === "busy" || (place.shared && faultOf(error) === "ambiguous");
      if (!passing || performance.now() > until) throw unopened(place, error);
      await pause(20 + Math.random() * 50);
    }
  }
}

async function open(
  place: Target,
  cipher: Cipher,
  wrap: WrapConnection | undefined,
  links: Connection[],
): Promise<Opened> {
  const openOne = async () => {
    const opened = await openConnection(place);
    const link = wrap?.(opened, place) ?? opened;
    links.push(link);
    return link;
  };
  const existed = !place.shared && existsSync(place.at) && statSync(place.at).size > 0;
  const link = await openOne();
  if (existed) await checkWhole(link, place);
  await migrate(link);
  await checkKey(link, cipher);
  return { link, reader: place.shared ? link : await openOne() };
}

async function checkWhole(link: Connection, place: Target): Promise<void> {
  if (statSync(place.at).size > checkedBytes) return;
  const { rows } = await link.read({ sql: "pragma quick_check(1)", args: [] });
  const found = String(rows[0]?.[0]);
  if (found !== "ok") throw damaged(place, found);
}

/** The first start leaves a sealed word; a key that does not open it would make every job unreadable. */
async function checkKey(link: Connection, cipher: Cipher): Promise<void> {
  const word = Buffer.from(cipher.seal("patchbay", seals.check("key"))).toString("base64");
  const [, rows] = await link.batch([
    { sql: "insert into meta (key, value) values ('key', ?) on conflict (key) do nothing", args: [word] },
    { sql: "select value from meta where key = 'key'", args: [] },
  ]);
  try {
    cipher.open(Buffer.from(String(rows?.rows[0]?.[0]), "base64"), seals.check("key"));
  } catch (error) {
    const text =
      "The master key is not the one this database was sealed with. Give the right one (PATCHBAY_MASTER_KEY, or the file master.key of the data directory).";
    throw new ServiceError("Unavailable", text, undefined, { cause: error });
  }
}

function unopened(place: Target, cause: unknown): ServiceError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const fault = faultOf(cause);
  if (fault === "broken") return damaged(place, why, cause);
  // A URL may hold a password.
  const at = place.shared && URL.canParse(place.at) ? `server ${new URL(place.at).host}` : `file ${place.at}`;
  const text = `The database ${at} can not be opened: ${why}`;
  return new ServiceError("Unavailable", text, { retryAfter: 5, fault }, { cause });
}

function damaged(place: Target, why: string, cause?: unknown): ServiceError {
  const text = `The database file ${place.at} is damaged (${why}). ${whatToDo}`;
  return new ServiceError("Unavailable", text, undefined, { cause });
}
