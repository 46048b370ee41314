/** Classifies the errors of the server and of the way to it. Nothing was applied unless it is `ambiguous`. */
import { messageOf, ServiceError } from "../../../base/errors.ts";

/**
 * `busy`: a lock or a time ran out, or another transaction came before. `gone`: the server or the way to it is not
 * there. `standby`: the server only reads, as one does that is not the primary any more. `crowded`: it accepts no
 * further connection. `full`: no space. `broken`: its data is damaged. `stale`: the ledger has another newest entry
 * than the transaction was linked to. `denied`: it does not know us. `ambiguous`: it was not found out whether a
 * transaction was committed. `refused`: the statement itself is wrong.
 */
export type Fault =
  | "busy"
  | "gone"
  | "standby"
  | "crowded"
  | "full"
  | "broken"
  | "stale"
  | "denied"
  | "ambiguous"
  | "refused";

/** Of the trigger `ledger_follows`. */
const stale = /ledger: another entry was written meanwhile/;

/** Its classes; codes of the system, such as `EPIPE`, can be as long. */
const sqlState = /^([0-5]\d|F0|HV|P0|XX)[0-9A-Z]{3}$/;

/** By SQLSTATE, or the word of the client or the system; the first that fits. */
const byCode: readonly [RegExp, Fault][] = [
  [/^(40001|40P01|55P03|57014|55006|53200|53400)$/, "busy"],
  [/^(08...|57P0\d|25P0[234])$/, "gone"],
  [/^25006$/, "standby"],
  [/^53300$/, "crowded"],
  [/^(53100|58030)$/, "full"],
  [/^XX00[12]$/, "broken"],
  [/^(28...|3D000|SASL_SIGNATURE_MISMATCH|AUTH_TYPE_NOT_IMPLEMENTED)$/, "denied"],
  [/^PATCHBAY_AMBIGUOUS$/, "ambiguous"],
  [sqlState, "refused"],
];

/** Nobody knows whether the transaction was committed. */
export const ambiguousCode = "PATCHBAY_AMBIGUOUS";

export function faultOf(error: unknown): Fault {
  if (stale.test(messageOf(error))) return "stale";
  const code = codeOf(error) ?? "";
  return byCode.find(([pattern]) => pattern.test(code))?.[1] ?? "gone";
}

/** Whether the server said it, so that nothing after it was done. */
export function isAnswer(error: unknown): boolean {
  return sqlState.test(codeOf(error) ?? "");
}

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const code: unknown = Reflect.get(error, "code");
  return typeof code === "string" ? code : undefined;
}

const texts: Readonly<Record<Fault, string>> = {
  busy: "The store is busy: another transaction holds its lock.",
  gone: "The PostgreSQL server does not answer.",
  standby: "The PostgreSQL server only reads: it is not the primary.",
  crowded: "The PostgreSQL server accepts no further connections (max_connections).",
  full: "The storage is full.",
  broken: "The data of the PostgreSQL server is damaged.",
  stale: "The store is busy: other nodes write to the ledger.",
  denied: "The PostgreSQL server does not accept our user, password or database.",
  ambiguous: "The store did not answer in time.",
  refused: "The store refused a statement.",
};

/** The error for the caller. The server's own message may quote values. */
export function unavailable(fault: Fault, cause: unknown): ServiceError {
  return new ServiceError("Unavailable", texts[fault], { retryAfter: 2, fault }, { cause });
}
