/**
 * Fsyncs the WAL of a database file off the event loop: a commit that waits for the disk itself blocks all requests.
 * This does what SQLite does with `synchronous=FULL`, once per commit.
 */
import { close, fdatasync, fdatasyncSync, openSync, stat } from "node:fs";

export interface LogSync {
  /** To be called after each commit. */
  start(): void;
  /** Resolves when everything committed so far is on disk; undefined if it already is. */
  synced(): Promise<void> | undefined;
  /** The WAL may be a different file afterwards. */
  close(): void;
}

/** How to fsync: in the thread pool (`sync`), or blocking the event loop (`syncNow`). */
export interface Disk {
  sync(descriptor: number, callback: (error: Error | null) => void): void;
  syncNow(descriptor: number): void;
  /** Calls back as soon as a thread of the pool is free. */
  look(callback: () => void): void;
}

const machineDisk: Disk = {
  sync: fdatasync,
  syncNow: fdatasyncSync,
  look: (callback) => stat("/", () => callback()),
};

/**
 * The runtime's thread pool is small, and slow file operations may occupy all of it. If no thread is free, the fsync
 * runs on the event loop, so that requests do not time out because of a busy pool. If a thread is free, the fsync has
 * already started and only the disk is slow, so the event loop keeps running (a disk that took nine seconds once
 * stopped all timers for as long).
 */
const besideMs = 100;

/**
 * @param path of the database file
 * @param rescue checkpoints the WAL into the database file and fsyncs it: after a failed fsync the OS marks pages as
 * clean although they were not written, and only writing them again helps
 * @param requireInPlace throws if what was fsynced is not what the next start will find
 */
export function createLogSync(
  path: string,
  rescue: () => void,
  disk: Disk = machineDisk,
  requireInPlace: () => void = () => {},
): LogSync {
  /** SQLite holds no locks on the WAL file, so closing this descriptor drops none. */
  let descriptor: number | undefined;
  let last: Promise<void> | undefined;

  /** @throws if there is no WAL */
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
      requireInPlace();
      rescue();
    }
    requireInPlace();
  }

  return {
    start() {
      const ownSync = bring(last);
      last = ownSync;
      const finish = () => {
        if (last === ownSync) last = undefined;
      };
      ownSync.then(finish, finish);
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
