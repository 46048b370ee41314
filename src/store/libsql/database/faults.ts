/** Classifies database errors: retry, give up, or ambiguous (the statement may have been applied). */
import { messageOf, ServiceError } from "../../../base/errors.ts";
import { displacedCode } from "./file/displaced.ts";

/**
 * `busy`: another process holds the lock; nothing was applied. `crowded`: the server accepts no further connection;
 * nothing was applied. `full`: no space. `ambiguous`: no response; the statements may have been applied. `broken`: the
 * file is damaged. `stale`: the ledger has another newest entry than the transaction was linked to; nothing was applied. `unwritable`: the directory is, for another reason than space. `displaced`: the files were taken away, until a restart. `refused`: the statement itself is wrong.
 */
export type Fault =
  | "busy"
  | "crowded"
  | "full"
  | "ambiguous"
  | "broken"
  | "stale"
  | "unwritable"
  | "displaced"
  | "refused";

/** For the operator, wherever it appears: connections that nodes keep open between requests can lock out others. */
export const crowdedText =
  "The libSQL server accepts no further connections. If it was started with --max-concurrent-connections 2, every node needs streams=each in PATCHBAY_DATABASE_URL (docs/guides/scaling.md).";
export const crowdedCode = "SERVER_CROWDED";

const byCode: readonly [RegExp, Fault][] = [
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, "busy"],
  [/^SQLITE_FULL|^SQLITE_IOERR_(WRITE|FSYNC|SHMSIZE|SHMMAP|TRUNCATE)/, "full"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "broken"],
  [/^SQLITE_(IOERR|CANTOPEN|READONLY|NOMEM|INTERRUPT|MISUSE)/, "busy"],
  [/^SQLITE_/, "refused"],
  [new RegExp(`^${crowdedCode}$`), "crowded"],
  [new RegExp(`^${displacedCode}$`), "displaced"],
  // The connection was closed after a fault; nothing was sent on it.
  [/^CLIENT_CLOSED$/, "busy"],
];

/** Of the trigger `ledger_follows`. */
const stale = /ledger: another entry was written meanwhile/;

export function faultOf(error: unknown): Fault {
  if (stale.test(messageOf(error))) return "stale";
  const { code, extendedCode } = codesOf(error);
  for (const candidate of [extendedCode, code]) {
    const match = byCode.find(([pattern]) => candidate !== undefined && pattern.test(candidate));
    if (match) return match[1];
  }
  const text = messageOf(error);
  // libSQL reports some errors of COMMIT and of opening only as text.
  if (/database is locked|SQL statements in progress|database schema is locked/i.test(text)) return "busy";
  if (/disk is full|no space left/i.test(text)) return "full";
  if (/malformed|not a database/i.test(text)) return "broken";
  return "ambiguous";
}

function codesOf(error: unknown): { code?: string; extendedCode?: string } {
  if (typeof error !== "object" || error === null) return {};
  const pick = (name: "code" | "extendedCode") => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === "string" ? { [name]: value } : {};
  };
  return { ...pick("code"), ...pick("extendedCode") };
}

/** The error for the caller. The database's own message may quote values. */
export function unavailable(fault: Fault, cause: unknown): ServiceError {
  const text: Record<Fault, string> = {
    busy: "The store is busy: another process holds its lock.",
    crowded: crowdedText,
    full: "The storage is full.",
    ambiguous: "The store did not answer in time.",
    broken: "The database file is damaged.",
    stale: "The store is busy: other nodes write to the ledger.",
    unwritable: `The data directory cannot be written (${messageOf(cause)}): nothing is stored until it can be.`,
    displaced: messageOf(cause),
    refused: "The store refused a statement.",
  };
  return new ServiceError(
    "Unavailable",
    text[fault],
    { retryAfter: fault === "displaced" ? 60 : 2, fault },
    { cause },
  );
}
