/** Configurations of a simulated router: running, candidate, history; a lock; a confirmed commit. */

/** Statements by what they set: a second one with the same first words replaces the first. */
export type Config = ReadonlyMap<string, string>;

export function configOf(statements: readonly string[]): Config {
  return new Map(statements.map((statement) => [keyOf(statement), statement]));
}

const keyOf = (statement: string) => statement.split(" ").slice(0, -1).join(" ");

export interface Waiting {
  readonly name: string;
  readonly before: Config;
  readonly minutes: number;
}

export interface CandidateStore {
  readonly running: () => readonly string[];
  readonly candidate: () => readonly string[];
  /** The session that holds the lock. */
  readonly lockedBy: () => number | undefined;
  readonly waiting: () => Waiting | undefined;
  /** Returns false if another session holds the lock or has changes in the candidate. */
  lock(session: number): boolean;
  unlock(session: number): void;
  merge(statements: readonly string[]): void;
  remove(statement: string): void;
  replace(statements: readonly string[]): void;
  discard(): void;
  /** Loads an earlier configuration. */
  load(back: number): void;
  difference(): readonly string[];
  commit(confirmed?: { readonly name: string; readonly minutes: number }): void;
  /** Rolls back the pending commit. */
  cancel(): void;
  /** Ends the session: releases its lock and discards its changes. */
  ended(session: number): void;
  /** Resolves when nobody holds a lock and the candidate is clean. */
  clean(): Promise<void>;
}

export function createCandidateStore(first: readonly string[]): CandidateStore {
  let running = configOf(first);
  let candidate = running;
  let lockedBy: number | undefined;
  let waiting: Waiting | undefined;
  const history: Config[] = [];
  let wake = () => {};

  const isClean = () => store.difference().length === 0;
  const store: CandidateStore = {
    running: () => [...running.values()],
    candidate: () => [...candidate.values()],
    lockedBy: () => lockedBy,
    waiting: () => waiting,
    lock(session) {
      if ((lockedBy !== undefined && lockedBy !== session) || !isClean()) return false;
      lockedBy = session;
      return true;
    },
    unlock(session) {
      if (lockedBy === session) lockedBy = undefined;
      wake();
    },
    merge(statements) {
      candidate = new Map([...candidate, ...configOf(statements)]);
    },
    remove(statement) {
      candidate = new Map([...candidate].filter(([, kept]) => !kept.startsWith(statement)));
    },
    replace(statements) {
      candidate = configOf(statements);
    },
    discard() {
      candidate = running;
      wake();
    },
    load(back) {
      candidate = back === 0 ? running : (history.at(-back) ?? running);
    },
    difference() {
      const [before, after] = [store.running(), store.candidate()];
      return [
        ...before.filter((line) => !after.includes(line)).map((line) => `-  ${line};`),
        ...after.filter((line) => !before.includes(line)).map((line) => `+  ${line};`),
      ];
    },
    commit(confirmed) {
      // A timer that starts anew is a commit of its own, and goes back to what ran before the first.
      if (!isClean() || (waiting !== undefined && confirmed !== undefined)) history.push(running);
      waiting = confirmed === undefined ? undefined : { ...confirmed, before: waiting?.before ?? running };
      running = candidate;
      wake();
    },
    cancel() {
      if (waiting === undefined) return;
      running = waiting.before;
      candidate = running;
      waiting = undefined;
      wake();
    },
    ended(session) {
      if (lockedBy === session) {
        store.discard();
        lockedBy = undefined;
      }
      wake();
    },
    async clean() {
      while (lockedBy !== undefined || !isClean())
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
  };
  return store;
}
