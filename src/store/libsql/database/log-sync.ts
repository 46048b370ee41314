/**
 * Brings the log of a database file to the disk, beside the event loop: a commit that waits for its disk itself holds
 * up all requests for as long. What SQLite does of `synchronous=FULL` on its own is done here, once for each commit.
 */
import { close, fdatasync, fdatasyncSync, openSync, stat } from "node:fs";

export interface LogSync {
  /** Something was committed. */
  start(): void;
  /** Resolves when all that was committed so far is on disk; undefined: it is. */
  synced(): Promise<void> | undefined;
  /** The log may be another file after this. */
  close(): void;
}

/** How a file comes to the disk: beside the event loop, or while it stands. */
export interface Disk {
  sync(descriptor: number, done: (error: Error | null) => void): void;
  syncNow(descriptor: number): void;
  /** Answers as soon as a thread for files is free. */
  look(done: () => void): void;
}

const machineDisk: Disk = {
  sync: fdatasync,
  syncNow: fdatasyncSync,
  look: (done) => stat("/", () => done()),
};

/**
 * The runtime has few threads for files, and slow ones of others may hold all of them: then the loop waits for the disk
 * itself. So nobody's patience ends before a disk that is only slow. Where a thread answers, what was asked for before
 * has begun: the disk is slow, and the loop goes on (a disk that took nine seconds once stopped all timers for as long).
 */
const besideMs = 100;

/**
 * @param path of the database file.
 * @param rescue writes the log into the database file and that to the disk: after a fault the system takes pages for
 * written that are not, and only another write of them is one.
 */
export function createLogSync(path: string, rescue: () => void, disk: Disk = machineDisk): LogSync {
  /** No lock of SQLite is on this file: closing its descriptor drops none. */
  let descriptor: number | undefined;
  let last: Promise<void> | undefined;

  /** @throws where there is no log. */
  function opened(): number {
    descriptor ??= openSync(`${path}-wal`, "r");
    return descriptor;
  }

  function sync(open: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const syncNow = () => {
        try {
          disk.syncNow(open);
          resolve();
        } catch (error) {
          reject(error);
        }
      };
      let timer = setTimeout(() => {
        timer = setTimeout(syncNow, besideMs);
        const standing = timer;
        disk.look(() => clearTimeout(standing));
      }, besideMs);
      disk.sync(open, (error) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      });
    });
  }

  async function bring(after: Promise<void> | undefined): Promise<void> {
    try {
      const open = opened();
      if (after !== undefined) await after;
      await sync(open);
    } catch {
      rescue();
    }
  }

  return {
    start() {
      const mine = bring(last);
      last = mine;
      const done = () => {
        if (last === mine) last = undefined;
      };
      mine.then(done, done);
    },
    synced: () => last,
    close() {
      const open = descriptor;
      descriptor = undefined;
      if (open === undefined) return;
      const shut = () => close(open, () => {});
      if (last === undefined) shut();
      else last.then(shut, shut);
    },
  };
}
