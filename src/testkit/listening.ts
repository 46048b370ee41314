/** Whether the process started for a port is the one listening on it: another test may have taken the port first. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const listens = "0A";

/** @returns true if the system does not report it (Linux does) */
export function listensOn(pid: number, port: number): boolean {
  const inodes = inodesOf(port);
  if (inodes === undefined) return true;
  return [pid, ...descendantsOf(pid)].some((one) => {
    try {
      return socketsOf(one).some((inode) => inodes.has(inode));
    } catch (error) {
      return isCode(error, "EACCES");
    }
  });
}

export function descendantsOf(pid: number): number[] {
  const children = (parent: number): number[] => {
    try {
      const text = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8");
      return text.split(" ").filter(Boolean).map(Number);
    } catch {
      return [];
    }
  };
  return children(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Inodes of the sockets that listen on a port; undefined if there is no such table. */
function inodesOf(port: number): ReadonlySet<string> | undefined {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = ["tcp", "tcp6"].flatMap((table) => {
    try {
      return readFileSync(`/proc/net/${table}`, "utf8").split("\n").slice(1);
    } catch {
      return [];
    }
  });
  if (lines.length === 0) return undefined;
  const rows = lines.map((line) => line.trim().split(/\s+/));
  return new Set(
    rows
      .filter(([, local = "", , state]) => local.endsWith(suffix) && state === listens)
      .map((columns) => columns[9] ?? ""),
  );
}

function socketsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

const isCode = (error: unknown, code: string) =>
  error instanceof Error && "code" in error && error.code === code;
