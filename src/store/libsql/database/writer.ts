/**
 * The single serial writer of a process: combines all waiting writes into one transaction and gives each caller its own
 * results.
 */

import { ServiceError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import { pause } from "../../../base/time/deadline.ts";
import { yieldToEventLoop } from "../../../base/time/yield.ts";
import type { Chain } from "../../sql/chain.ts";
import type { WriteOptions } from "../../sql/database.ts";
import type { Rows } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";
import { asError, deliver, endUnit, giveUp, takeUnits, type Unit, usualPatienceMs } from "../../sql/units.ts";
import type { Connection } from "./connection.ts";
import { crowdedText, type Fault, faultOf, unavailable } from "./faults.ts";
import type { ReserveFile } from "./file/reserve-file.ts";

export interface Writer {
  /**
   * All statements or none, with no statement of other callers in between. They must be idempotent: they are sent again
   * after a lost response.
   * @throws ServiceError Unavailable; `detail.ambiguous` if the statements may have been applied
   */
  write(statements: readonly Statement[], options?: WriteOptions): Promise<Rows[]>;
  /** Runs a script between two transactions: for pragmas that cannot be in one. Not retried. */
  runOutsideTransaction(sql: string): Promise<void>;
  /**
   * @param listener is called after each transaction
   * @returns unsubscribes
   */
  onCommit(listener: () => void): () => void;
  /** The storage is full: only essential writes are tried. */
  full(): boolean;
  /** The files of the database were taken away: nothing is stored until a restart. */
  displaced(): boolean;
  /** Resolves when everything that can be read is on disk; undefined if it already is. */
  synced(): Promise<void> | undefined;
  /** Resolves when all pending writes are done; new writes are rejected. */
  close(): Promise<void>;
}

export interface WriterOptions {
  readonly connection: Connection;
  /** Links the entries of the ledger among the statements. */
  readonly chain: Chain;
  readonly log: Log;
  /** Releases space when the storage is full, and reserves it again when there is room. */
  readonly reserve: ReserveFile;
  /** Default timeout of a write; `usualPatienceMs` if absent. */
  readonly patienceMs?: number | undefined;
}

interface Waiting extends Unit {
  /** Why the last try did not succeed, if nothing was applied and the caller can do something about it. */
  lastFault: "crowded" | "full" | undefined;
}

/** Larger transactions block the event loop longer than they save: this one takes about 20 ms. */
const transactionCost = 400;
const fullRetryMs = 2_000;

export function createWriter(tools: WriterOptions): Writer {
  const { connection, chain, log, reserve } = tools;
  const waiting: Waiting[] = [];
  const outside: (() => Promise<void>)[] = [];
  const listeners = new Set<() => void>();
  let running: Promise<void> | undefined;
  let closed = false;
  let fullSince: number | undefined;
  /** Not full: the directory cannot be written at all. */
  let obstacle: string | undefined;
  let displacement: unknown;

  function write(statements: readonly Statement[], options: WriteOptions = {}): Promise<Rows[]> {
    if (closed)
      return Promise.reject(new ServiceError("Unavailable", "The service is stopping.", { retryAfter: 5 }));
    if (statements.length === 0) return Promise.resolve([]);
    if (displacement !== undefined) return Promise.reject(unavailable("displaced", displacement));
    const essential = options.essential === true;
    if (!essential && isFull()) return Promise.reject(noSpace(undefined));
    const usualMs = options.patienceMs ?? tools.patienceMs ?? usualPatienceMs;
    const patienceMs = usualMs + (options.extraMs ?? 0);
    return new Promise((resolve, reject) => {
      const unit: Waiting = {
        statements,
        essential,
        early: options.early === true,
        timer: setTimeout(() => giveUp(unit, lateError(unit)), patienceMs),
        over: false,
        sent: false,
        lastFault: undefined,
        resolve,
        reject,
      };
      waiting.push(unit);
      running ??= pump();
    });
  }

  /** Retrying shows whether space was freed, but not on every submission. */
  function isFull(): boolean {
    if (fullSince === undefined) return false;
    if (performance.now() - fullSince < fullRetryMs) return true;
    obstacle = reserve.obstacle();
    fullSince = obstacle === undefined && reserve.restore() ? undefined : performance.now();
    if (fullSince === undefined) log.info("store.space_again");
    return fullSince !== undefined;
  }

  function lateError({ lastFault }: Waiting): ServiceError {
    return lastFault === "full" ? noSpace(undefined) : unavailable(lastFault ?? "ambiguous", undefined);
  }

  function noSpace(cause: unknown): ServiceError {
    return obstacle === undefined
      ? unavailable("full", cause)
      : unavailable("unwritable", new Error(obstacle));
  }

  async function pump(): Promise<void> {
    while (waiting.length + outside.length > 0) {
      // Everything submitted in this event loop turn joins the transaction.
      await yieldToEventLoop();
      await connection.turn();
      await outside.shift()?.();
      const units = takeUnits(waiting, transactionCost);
      if (units.length > 0) await commit(units);
    }
    running = undefined;
  }

  async function commit(units: Waiting[]): Promise<void> {
    for (let tries = 0; ; tries++) {
      const alive = units.filter((unit) => !unit.over);
      if (alive.length === 0) return;
      for (const unit of alive) unit.sent = true;
      let committed = false;
      try {
        const statements = alive.flatMap((unit) => unit.statements);
        const linked = await chain.link(statements, connection);
        const results = await connection.batch(linked?.statements ?? statements);
        committed = true;
        linked?.committed(results.at(-1));
        const synced = connection.synced();
        if (synced !== undefined) {
          deliver(alive, results, ({ early }) => early);
          await synced;
        }
        deliver(alive, results);
        for (const listener of listeners) listener();
        return;
      } catch (error) {
        const fault = faultOf(error);
        // Any other fault of the transaction means that nothing was applied.
        if (fault !== "ambiguous" && !committed) for (const unit of alive) unit.sent = false;
        for (const unit of alive)
          unit.lastFault = fault === "crowded" || fault === "full" ? fault : undefined;
        if (fault === "crowded" && tries === 0) log.warn("store.crowded", { note: crowdedText });
        if (await settleFault(fault, error, alive)) return;
        if (tries === 3) log.warn("store.retry", { fault, tries, units: alive.length });
        await pause(Math.random() * Math.min(isBrief(fault) ? 50 : 200, 5 * 2 ** tries) + 2);
      }
    }
  }

  /** @returns whether the units are settled */
  async function settleFault(fault: Fault, error: unknown, units: Waiting[]): Promise<boolean> {
    const isRefused = fault === "refused" || (fault === "stale" && !(await moved()));
    if (isRefused) {
      if (units.length === 1) for (const unit of units) endUnit(unit, () => unit.reject(asError(error)));
      // One unit is at fault: committed alone, each gets its own result.
      else for (const unit of units) await commit([unit]);
      return true;
    }
    if (fault === "stale") return false;
    if (fault === "broken") {
      log.error("store.broken", { reason: asError(error).message });
      for (const unit of units) giveUp(unit, unavailable(fault, error));
      return true;
    }
    if (fault === "displaced") {
      displacement = error;
      log.error("store.displaced", { reason: asError(error).message });
      for (const unit of units) giveUp(unit, unavailable(fault, error));
      return true;
    }
    if (fault === "full") {
      fullSince ??= performance.now();
      obstacle = reserve.obstacle();
      if (obstacle === undefined) log.error("store.full", { reserve_released: reserve.release() });
      else log.error("store.unwritable", { reason: obstacle });
      for (const unit of units) if (!unit.essential) giveUp(unit, noSpace(error));
    }
    await reopen();
    return false;
  }

  /** Whether the ledger has another newest entry; if it cannot be read, the next try finds out. */
  async function moved(): Promise<boolean> {
    try {
      return await chain.moved(connection);
    } catch (error) {
      log.debug("store.ledger_not_read", { reason: asError(error).message });
      return true;
    }
  }

  async function reopen(): Promise<void> {
    try {
      await connection.reopen();
    } catch (error) {
      log.warn("store.reopen_failed", { reason: asError(error).message });
    }
  }

  function runOutsideTransaction(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      outside.push(async () => {
        try {
          await connection.script(sql);
          resolve();
        } catch (error) {
          reject(unavailable(faultOf(error), error));
          await reopen();
        }
      });
      running ??= pump();
    });
  }

  return {
    write,
    runOutsideTransaction,
    onCommit(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    full: () => isFull() && obstacle === undefined,
    displaced: () => displacement !== undefined,
    synced: connection.synced,
    async close() {
      closed = true;
      await running;
    },
  };
}

/** Faults retried without delay: waiting for the lock or connection took time already. */
const isBrief = (fault: Fault) => fault === "busy" || fault === "crowded" || fault === "stale";
