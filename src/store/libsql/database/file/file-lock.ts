/**
 * A file lock that the system releases however the process ends. It is the lock of a small SQLite file: the only one
 * that works the same on every supported system without native code of our own.
 */
import Libsql from "libsql";
import { faultOf } from "../faults.ts";

export interface FileLock {
  release(): void;
}

/** @returns undefined if another process has it */
export function takeLock(path: string): FileLock | undefined {
  const database = new Libsql(path, { timeout: 0 });
  try {
    database.exec("begin immediate");
    database.exec("create table if not exists owner (pid integer)");
  } catch (error) {
    database.close();
    if (faultOf(error) === "busy") return undefined;
    throw error;
  }
  return {
    release() {
      if (!database.open) return;
      // libSQL closes a connection only when it is garbage collected; ending the transaction releases the lock.
      database.exec("rollback");
      database.close();
    },
  };
}
