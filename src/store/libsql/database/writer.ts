/** The one serial writer of a process: whatever waits goes out as one transaction, and each caller gets its own results. */
import { pause } from "../../../base/deadline.ts";
import { ServiceError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import { yieldToEventLoop } from "../../../base/yield.ts";
import type { Connection, Rows } from "./connection.ts";
import { crowdedText, type Fault, faultOf, unavailable } from "./faults.ts";
import type { ReserveFile } from "./reserve-file.ts";
import { costOf, type Statement } from "./statement.ts";

export interface WriteOptions {
  /** How long the caller waits; default: as the writer has it. */
  readonly patienceMs?: number;
  /** Longer by so much: it takes more than a moment. */
  readonly extraMs?: number;
  /** Goes on when the storage is full: the end of a job, which frees space. */
  readonly essential?: boolean;
  /**
   * Resolves when it is written, not only when it is on disk: for what nobody outside is told of and what the loss of
   * all that came after it takes with it.
   */
  readonly early?: boolean;
}

export interface Writer {
  /**
   * All statements or none; nothing of another caller is between them. They must be safe to be run twice: an answer
   * that was lost is asked for again.
   * @throws ServiceError Unavailable; `detail.ambiguous` when the statements may have been applied.
   */
  write(statements: readonly Statement[], options?: WriteOptions): Promise<Rows[]>;
  /** Runs a script between two transactions: pragmas that can not be part of one. Not tried again. */
  runOutsideTransaction(sql: string): Promise<void>;
  /** @param listener is called behind each transaction. @returns stops that. */
  onCommit(listener: () => void): () => void;
  /** The storage is full: only essential writes are tried. */
  full(): boolean;
  /** Resolves when all that can be read is on disk; undefined: it is. */
  synced(): Promise<void> | undefined;
  /** Resolves when nothing waits; further writes are refused. */
  close(): Promise<void>;
}

export interface WriterOptions {
  readonly connection: Connection;
  readonly log: Log;
  /** Gives up space when the storage is full, and takes it again when there is some. */
  readonly reserve: ReserveFile;
  /** How long a write waits that does not say so itself; default 2,500. */
  readonly patienceMs?: number | undefined;
}

interface Unit {
  statements: readonly Statement[];
  essential: boolean;
  early: boolean;
  /** Monotonic; the caller is told then, whatever happens here. */
  until: number;
  timer: ReturnType<typeof setTimeout>;
  over: boolean;
  /** It may have been applied. */
  sent: boolean;
  /** The last try found no room on the server. */
  crowded: boolean;
  resolve(rows: Rows[]): void;
  reject(error: Error): void;
}

const defaultPatienceMs = 2_500;
/** Larger transactions hold the loop longer than they save: this takes about 20 ms. */
const transactionCost = 400;
const fullRetryMs = 2_000;

export function createWriter(tools: WriterOptions): Writer {
  const { connection, log, reserve } = tools;
  const waiting: Unit[] = [];
  const outside: (() => Promise<void>)[] = [];
  const listeners = new Set<() => void>();
  let running: Promise<void> | undefined;
  let closed = false;
  let fullSince: number | undefined;

  function write(statements: readonly Statement[], options: WriteOptions = {}): Promise<Rows[]> {
    if (closed)
      return Promise.reject(new ServiceError("Unavailable", "The service is stopping.", { retryAfter: 5 }));
    if (statements.length === 0) return Promise.resolve([]);
    const essential = options.essential === true;
    if (!essential && isFull()) return Promise.reject(unavailable("full", undefined));
    const usualMs = options.patienceMs ?? tools.patienceMs ?? defaultPatienceMs;
    const patienceMs = usualMs + (options.extraMs ?? 0);
    return new Promise((resolve, reject) => {
      const unit: Unit = {
        statements,
        essential,
        early: options.early === true,
        until: performance.now() + patienceMs,
        timer: setTimeout(() => giveUp(unit, unit.crowded ? "crowded" : "ambiguous"), patienceMs),
        over: false,
        sent: false,
        crowded: false,
        resolve,
        reject,
      };
      waiting.push(unit);
      running ??= pump();
    });
  }

  /** Trying again shows whether space was made, but not with every submission. */
  function isFull(): boolean {
    if (fullSince === undefined) return false;
    if (performance.now() - fullSince < fullRetryMs) return true;
    fullSince = reserve.restore() ? undefined : performance.now();
    if (fullSince === undefined) log.info("store.space_again");
    return fullSince !== undefined;
  }

  function end(unit: Unit, settle: () => void): void {
    if (unit.over) return;
    unit.over = true;
    clearTimeout(unit.timer);
    settle();
  }

  function giveUp(unit: Unit, fault: Fault, cause?: unknown): void {
    end(unit, () => {
      const error = unavailable(fault, cause);
      if (unit.sent && error.detail) error.detail.ambiguous = true;
      unit.reject(error);
    });
  }

  async function pump(): Promise<void> {
    while (waiting.length + outside.length > 0) {
      // Everything that this turn of the loop still submits joins the transaction.
      await yieldToEventLoop();
      await connection.turn();
      await outside.shift()?.();
      const units = take();
      if (units.length > 0) await commit(units);
    }
    running = undefined;
  }

  function take(): Unit[] {
    const units: Unit[] = [];
    let cost = 0;
    while (waiting[0] && (units.length === 0 || cost + costOf(waiting[0].statements) <= transactionCost)) {
      const unit = waiting.shift();
      if (!unit || unit.over) continue;
      cost += costOf(unit.statements);
      units.push(unit);
    }
    return units;
  }

  async function commit(units: Unit[]): Promise<void> {
    for (let tries = 0; ; tries++) {
      const alive = units.filter((unit) => !unit.over);
      if (alive.length === 0) return;
      for (const unit of alive) unit.sent = true;
      try {
        const results = await connection.batch(alive.flatMap((unit) => unit.statements));
        const synced = connection.synced();
        if (synced !== undefined) {
          deliver(alive, results, true);
          await synced;
        }
        deliver(alive, results, false);
        for (const listener of listeners) listener();
        return;
      } catch (error) {
        const fault = faultOf(error);
        // Any other fault says that nothing was applied.
        if (fault !== "ambiguous") for (const unit of alive) unit.sent = false;
        for (const unit of alive) unit.crowded = fault === "crowded";
        if (fault === "crowded" && tries === 0) log.warn("store.crowded", { note: crowdedText });
        if (await settleFault(fault, error, alive)) return;
        if (tries === 3) log.warn("store.retry", { fault, tries, units: alive.length });
        await pause(Math.random() * Math.min(isBrief(fault) ? 50 : 200, 5 * 2 ** tries) + 2);
      }
    }
  }

  /** @returns whether the units are done with. */
  async function settleFault(fault: Fault, error: unknown, units: Unit[]): Promise<boolean> {
    if (fault === "refused") {
      if (units.length === 1) for (const unit of units) end(unit, () => unit.reject(asError(error)));
      // One unit is at fault: each on its own shows which.
      else for (const unit of units) await commit([unit]);
      return true;
    }
    if (fault === "broken") {
      log.error("store.broken", { reason: asError(error).message });
      for (const unit of units) giveUp(unit, fault, error);
      return true;
    }
    if (fault === "full") {
      fullSince ??= performance.now();
      const released = reserve.release();
      log.error("store.full", { reserve_released: released });
      for (const unit of units) if (!unit.essential) giveUp(unit, fault, error);
    }
    await reopen();
    return false;
  }

  async function reopen(): Promise<void> {
    try {
      await connection.reopen();
    } catch (error) {
      log.warn("store.reopen_failed", { reason: asError(error).message });
    }
  }

  /** @param early only those that do not wait for the disk. */
  function deliver(units: Unit[], results: Rows[], early: boolean): void {
    let start = 0;
    for (const unit of units) {
      const from = start;
      start += unit.statements.length;
      if (early && !unit.early) continue;
      end(unit, () => unit.resolve(results.slice(from, start)));
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
    full: isFull,
    synced: connection.synced,
    async close() {
      closed = true;
      await running;
    },
  };
}

/** Waiting for it took time already. */
const isBrief = (fault: Fault) => fault === "busy" || fault === "crowded";

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
