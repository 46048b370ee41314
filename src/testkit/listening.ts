/** Whether the process started for a port is the one listening on it: another test may have taken the port first. */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";

const listens = "0A";
/** About a row: the system prepares as much of a table as is asked for. */
const rowBytes = 150;

/** @returns true if the system does not report it (Linux does) */
export function listensOn(pid: number, port: number): boolean {
  const sockets = new Set<string>();
  for (const one of [pid, ...descendantsOf(pid)]) {
    try {
      for (const socket of socketsOf(one)) sockets.add(socket);
    } catch (error) {
      if (isCode(error, "EACCES")) return true;
    }
  }
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  let isReported = false;
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"])
    for (const { address, inode } of listening(table)) {
      if (address.endsWith(suffix) && sockets.has(inode)) return true;
      isReported = true;
    }
  return !isReported;
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

/**
 * The sockets of a table that listen, after its heading. They come first: to tell the others, the system looks through
 * all places for connections, which takes milliseconds even if there are none.
 */
function* listening(table: string): Generator<{ address: string; inode: string }> {
  let file: number;
  try {
    file = openSync(table, "r");
  } catch {
    return;
  }
  try {
    const buffer = Buffer.alloc(rowBytes);
    let rows = 0;
    for (let text = ""; ; ) {
      const length = readSync(file, buffer);
      if (length === 0) return;
      const lines = (text + buffer.toString("latin1", 0, length)).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const columns = line.trim().split(/\s+/);
        if (rows++ > 0 && columns[3] !== listens) return;
        yield { address: columns[1] ?? "", inode: columns[9] ?? "" };
      }
    }
  } finally {
    closeSync(file);
  }
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
