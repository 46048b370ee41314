/**
 * The single serial writer of a process: combines all waiting writes into one transaction and gives each caller its own
 * results.
 */
import { messageOf, ServiceError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import { pause } from "../../../base/time/deadline.ts";
import { yieldToEventLoop } from "../../../base/time/yield.ts";
import type { Chain } from "../../sql/chain.ts";
import type { WriteOptions } from "../../sql/database.ts";
import type { Rows } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";
import { asError, deliver, endUnit, giveUp, takeUnits, type Unit, usualPatienceMs } from "../../sql/units.ts";
import type { LeadLinked } from "./chain.ts";
import type { Connection } from "./connection.ts";
import { type Fault, faultOf, unavailable } from "./faults.ts";

export interface Writer {
  /**
   * All statements or none, with no statement of other callers, or of other nodes, in between. They must be idempotent:
   * a caller may send them again.
   * @throws ServiceError Unavailable; `detail.ambiguous` if the statements may have been applied
   */
  write(statements: readonly Statement[], options?: WriteOptions): Promise<Rows[]>;
  /**
   * @param listener is called after each transaction
   * @returns unsubscribes
   */
  onCommit(listener: () => void): () => void;
  /** The storage is full: only essential writes are tried. */
  full(): boolean;
  /** Resolves when all pending writes are done; new writes are rejected. */
  close(): Promise<void>;
}

export interface WriterOptions {
  readonly connection: Connection;
  /** Links the entries of the ledger among the statements. */
  readonly chain: Chain<LeadLinked>;
  readonly log: Log;
  /** Default timeout of a write; `usualPatienceMs` if absent. */
  readonly patienceMs?: number | undefined;
}

interface Waiting extends Unit {
  readonly repeatable: boolean;
  /** Why the last try did not succeed. */
  lastFault: Fault | undefined;
}

/** Larger transactions hold the lock that all nodes wait for longer than they save. */
const transactionCost = 400;
const fullRetryMs = 2_000;
/** In which a node that ends waits for what it has sent. */
const closeMs = 10_000;

export function createWriter(tools: WriterOptions): Writer {
  const { connection, chain, log } = tools;
  const waiting: Waiting[] = [];
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
    const usualMs = options.patienceMs ?? tools.patienceMs ?? usualPatienceMs;
    const patienceMs = usualMs + (options.extraMs ?? 0);
    return new Promise((resolve, reject) => {
      const unit: Waiting = {
        statements,
        essential,
        early: options.early === true,
        repeatable: options.repeatable === true,
        timer: setTimeout(() => giveUp(unit, unavailable(lateFault(unit), undefined)), patienceMs),
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

  const lateFault = ({ sent, lastFault }: Waiting): Fault =>
    sent ? "ambiguous" : (lastFault ?? "ambiguous");

  /** One write in two seconds shows whether there is space again. */
  function isFull(): boolean {
    if (fullSince === undefined) return false;
    if (performance.now() - fullSince < fullRetryMs) return true;
    fullSince = performance.now();
    return false;
  }

  /**
   * While the server is at a transaction, the callers of the one before it get their results, and go on: else the one
   * would always wait for the other.
   */
  async function pump(): Promise<void> {
    let tell: (() => void) | undefined;
    while (waiting.length > 0 || tell !== undefined) {
      // Everything submitted in this event loop turn joins the transaction.
      if (tell === undefined) await yieldToEventLoop();
      const units = takeUnits(waiting, transactionCost);
      const committing = units.length > 0 ? commit(units) : undefined;
      if (tell !== undefined) {
        // The transaction is on its way first.
        if (committing !== undefined) await yieldToEventLoop();
        tell();
      }
      tell = await committing;
    }
    running = undefined;
  }

  /** @returns gives the callers their results, unless they have them */
  async function commit(units: Waiting[]): Promise<(() => void) | undefined> {
    for (let tries = 0; ; tries++) {
      const alive = units.filter((unit) => !unit.over);
      if (alive.length === 0) return undefined;
      for (const unit of alive) unit.sent = true;
      try {
        const statements = alive.flatMap((unit) => unit.statements);
        const linked = await chain.link(statements, connection);
        const early = alive.every((unit) => unit.early);
        const repeatable = alive.every((unit) => unit.repeatable);
        const results = await connection.batch(linked?.statements ?? statements, {
          ...{ early, repeatable, lead: linked?.lead },
        });
        linked?.committed(results.at(-1));
        if (fullSince !== undefined) log.info("store.space_again");
        fullSince = undefined;
        return () => {
          deliver(alive, results);
          for (const listener of listeners) listener();
        };
      } catch (error) {
        const fault = faultOf(error);
        if (fault !== "ambiguous") for (const unit of alive) unit.sent = false;
        for (const unit of alive) unit.lastFault = fault;
        if (fault === "crowded" && tries === 0) log.warn("store.crowded", { reason: messageOf(error) });
        if (await settleFault(fault, error, alive)) return undefined;
        if (tries === 3) log.warn("store.retry", { fault, tries, units: alive.length });
        await pause(Math.random() * Math.min(fault === "stale" ? 20 : 200, 5 * 2 ** tries) + 2);
      }
    }
  }

  /** @returns whether the units are settled */
  async function settleFault(fault: Fault, error: unknown, units: Waiting[]): Promise<boolean> {
    if (fault === "refused" || (fault === "stale" && !(await moved()))) {
      if (units.length === 1) for (const unit of units) endUnit(unit, () => unit.reject(asError(error)));
      // One unit is at fault: committed alone, each gets its own result.
      else for (const unit of units) (await commit([unit]))?.();
      return true;
    }
    if (fault === "ambiguous" || fault === "broken") {
      if (fault === "broken") log.error("store.broken", { reason: messageOf(error) });
      for (const unit of units) giveUp(unit, unavailable(fault, error));
      return true;
    }
    if (fault === "full") {
      if (fullSince === undefined) log.error("store.full");
      fullSince = performance.now();
      for (const unit of units) if (!unit.essential) giveUp(unit, unavailable(fault, error));
    }
    if (fault === "standby") await connection.reopen();
    return false;
  }

  /** Whether the ledger has another newest entry; if it cannot be read, the next try finds out. */
  async function moved(): Promise<boolean> {
    try {
      return await chain.moved(connection);
    } catch (error) {
      log.debug("store.ledger_not_read", { reason: messageOf(error) });
      return true;
    }
  }

  return {
    write,
    onCommit(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    full: () => fullSince !== undefined && performance.now() - fullSince < fullRetryMs,
    async close() {
      closed = true;
      const late = new Promise<void>((resolve) => setTimeout(resolve, closeMs).unref());
      await Promise.race([running, late]);
      await connection.close();
    },
  };
}
