/** Says which process holds a lock: for operators who find a store in use. */
import { readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import process from "node:process";

/** A process as it describes itself in a file beside its lock. */
export function ownDescription(): string {
  const since = new Date(performance.timeOrigin).toISOString();
  const [command = ""] = process.argv.slice(2);
  return `${process.pid}\n${since}\n${hostname()}\npatchbay${/^[a-z-]+$/.test(command) ? ` ${command}` : ""}\n`;
}

/** Reads such a file; those of earlier versions have only the pid. */
export function describedIn(file: string): string {
  const [pid = "", since, host, command] = linesOf(file);
  // The other process has the lock but has not written its file yet.
  if (!/^\d+$/.test(pid)) return "another process";
  const more = [command, since && `since ${since}`, host && `on ${host}`].filter(Boolean).join(", ");
  return more === "" ? `pid ${pid}` : `pid ${pid} (${more})`;
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}

/** SQLite's write lock of a database with a WAL: one byte of its shared memory. */
const writeLockByte = 120;
/** Clock ticks per second in `/proc`, the same on every Linux. */
const ticks = 100;

/**
 * Another process that holds the write lock of this database, from the lock table of Linux.
 * @returns undefined if there is none, or the system does not tell
 */
export function writerOf(path: string): string | undefined {
  const pid = lockedBy(`${path}-shm`, writeLockByte) ?? lockedBy(path);
  return pid === undefined ? undefined : describedProcess(pid);
}

/** @param byte default: any */
function lockedBy(path: string, byte?: number): number | undefined {
  const inode = statSync(path, { throwIfNoEntry: false })?.ino;
  if (inode === undefined) return undefined;
  for (const line of linesOf("/proc/locks")) {
    const [, pid, found, start, end] =
      /POSIX\s+\S+\s+WRITE\s+(\d+)\s+\w+:\w+:(\d+)\s+(\d+)\s+(\w+)/.exec(line) ?? [];
    if (Number(found) !== inode || Number(pid) === process.pid) continue;
    const holds = byte === undefined || (Number(start) <= byte && (end === "EOF" || Number(end) >= byte));
    if (holds) return Number(pid);
  }
  return undefined;
}

/** Its name, not its arguments, which may hold secrets. */
function describedProcess(pid: number): string {
  const [stat = ""] = linesOf(`/proc/${pid}/stat`);
  const name = /\((.*)\)/.exec(stat)?.[1];
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const boot = Number(
    linesOf("/proc/stat")
      .find((line) => line.startsWith("btime "))
      ?.slice(6),
  );
  const since = new Date((boot + Number(fields[19]) / ticks) * 1000);
  const facts = [
    name,
    Number.isNaN(since.getTime()) ? undefined : `since ${since.toISOString()}`,
    `on ${hostname()}`,
    fields[0] === "T" ? `stopped by a signal: kill -CONT ${pid} continues it` : undefined,
  ];
  return `pid ${pid} (${facts.filter(Boolean).join(", ")})`;
}
