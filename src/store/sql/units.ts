/** Writes that wait for a transaction of the serial writer of a store, each a unit: all of its statements, or none. */
import type { ServiceError } from "../../base/errors.ts";
import type { Rows } from "./rows.ts";
import { costOf, type Statement } from "./statement.ts";

/** Default timeout of a write. */
export const usualPatienceMs = 2_500;

export interface Unit {
  readonly statements: readonly Statement[];
  readonly essential: boolean;
  readonly early: boolean;
  /** Ends the wait of the caller, whatever happens to the statements. */
  readonly timer: ReturnType<typeof setTimeout>;
  over: boolean;
  /** It may have been applied. */
  sent: boolean;
  resolve(rows: Rows[]): void;
  reject(error: Error): void;
}

export function endUnit(unit: Unit, settle: () => void): void {
  if (unit.over) return;
  unit.over = true;
  clearTimeout(unit.timer);
  settle();
}

export function giveUp(unit: Unit, error: ServiceError): void {
  endUnit(unit, () => {
    if (unit.sent && error.detail) error.detail.ambiguous = true;
    unit.reject(error);
  });
}

/** Takes those of the next transaction, in order: at least one, and further ones up to that cost. */
export function takeUnits<U extends Unit>(waiting: U[], mostCost: number): U[] {
  const units: U[] = [];
  let cost = 0;
  while (waiting[0] && (units.length === 0 || cost + costOf(waiting[0].statements) <= mostCost)) {
    const unit = waiting.shift();
    if (!unit || unit.over) continue;
    cost += costOf(unit.statements);
    units.push(unit);
  }
  return units;
}

/** Gives each its own results. @param isTold the others get theirs later */
export function deliver(units: readonly Unit[], results: Rows[], isTold = (_unit: Unit) => true): void {
  let start = 0;
  for (const unit of units) {
    const from = start;
    start += unit.statements.length;
    if (isTold(unit)) endUnit(unit, () => unit.resolve(results.slice(from, start)));
  }
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
