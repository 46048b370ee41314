/** SFTP requests as promises that settle with the task or the connection, whatever the server does. */

import type { ServiceError } from "../../../base/errors.ts";
import {
  abortReason,
  createDeadline,
  type Deadline,
  onAbort,
  type TimeLimit,
} from "../../../base/time/deadline.ts";
import { stopTimes } from "../../../base/time/stop-times.ts";
import { connectionLost } from "../login/target.ts";
import { askSession } from "../sessions.ts";
import type { SFTPWrapper, Stats } from "../ssh2.ts";
import type { Transport } from "../transport.ts";
import { isStatus, lacksRequest, sftpError, status } from "./sftp-error.ts";

export interface RemoteFile {
  /** The largest read that the server answers in one reply. */
  readonly readBytes: number;
  stat(): Promise<RemoteStat>;
  /** At most `length` bytes, fewer if the server returns fewer; none at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
  write(offset: number, bytes: Buffer): Promise<void>;
  /** Permission bits. */
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  /** fsyncs the file; false if the server does not support it. */
  sync(): Promise<boolean>;
  close(): Promise<void>;
}

export interface RemoteStat {
  readonly kind: "file" | "folder" | "link" | "other";
  /** Undefined if the server does not report it. */
  readonly size: number | undefined;
  /** Permission bits; undefined if the server does not report them. */
  readonly mode: number | undefined;
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /** Seconds. */
  readonly mtime: number | undefined;
}

export interface Sftp {
  /** Undefined if there is no such file. `lstat` does not follow links. */
  stat(path: string): Promise<RemoteStat | undefined>;
  lstat(path: string): Promise<RemoteStat | undefined>;
  /** Resolves links. */
  realpath(path: string): Promise<string>;
  /** `fresh` creates or truncates, `continue` writes into an existing file, `either` creates a missing one. */
  open(path: string, use: keyof typeof flags, mode?: number): Promise<RemoteFile>;
  /** Fails on most servers if there is a file of that name. */
  rename(from: string, to: string): Promise<void>;
  /** Whether the server announces that it replaces a file in one step. */
  replacesAtOnce(): boolean;
  replace(from: string, to: string): Promise<void>;
  /** Runs work that must not stop half-way: within the grace period of a cleanup, if the task ends before. */
  toTheEnd<T>(work: (sftp: Sftp) => Promise<T>): Promise<T>;
  remove(path: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  mkdir(path: string): Promise<void>;
  /** Batches of entries as the server returns them. */
  list(path: string): AsyncGenerator<readonly RemoteEntry[]>;
  /** Free bytes on the file system of this path; undefined if the server does not report them. */
  free(path: string): Promise<number | undefined>;
  close(): void;
}

export interface RemoteEntry {
  readonly name: string;
  readonly stat: RemoteStat;
}

/** SFTP open flags: READ 1, WRITE 2, CREAT 8, TRUNC 16. */
const flags = { read: 1, fresh: 2 | 8 | 16, continue: 1 | 2, either: 1 | 2 | 8 } as const;

type Done<T> = (error: Error | null | undefined, value: T) => void;
type Call = <T>(path: string, start: (done: Done<T>) => void) => Promise<T>;

export async function openSftp(transport: Transport, limit: TimeLimit): Promise<Sftp> {
  const raw = await askSession<SFTPWrapper>(
    transport,
    limit,
    "open SFTP",
    (done) => transport.client.sftp(done),
    (late) => late.end(),
  );
  // A malformed packet: ssh2 closes the channel, but its error needs a listener.
  const lost = new AbortController();
  raw.on("close", () => lost.abort(connectionLost(transport.endpoint)));
  raw.on("error", (error: Error) => lost.abort(connectionLost(transport.endpoint, error)));
  const forget = onAbort(transport.ended, (reason) => lost.abort(reason));

  function sessionUntil(ends: readonly AbortSignal[]): Sftp {
    const { call, close } = callsUntil(ends);
    const session: Sftp = {
      ...requests(raw, call),
      close,
      async toTheEnd(work) {
        if (limit.signal.aborted) throw abortReason(limit.signal);
        const grace = new AbortController();
        let late: Deadline | undefined;
        const unlisten = onAbort(limit.signal, () => {
          late = createDeadline(stopTimes.cleanupMs, () => abortReason(limit.signal));
          onAbort(late.signal, (reason) => grace.abort(reason));
        });
        const inner = sessionUntil([grace.signal, lost.signal]);
        try {
          return await work({ ...inner, toTheEnd: (more) => more(inner) });
        } finally {
          unlisten();
          late?.dispose();
          inner.close();
        }
      },
    };
    return session;
  }
  const session = sessionUntil([limit.signal, lost.signal]);
  return {
    ...session,
    close() {
      session.close();
      forget();
      raw.end();
    },
  };
}

/** Calls that fail when one of the signals aborts. */
function callsUntil(ends: readonly AbortSignal[]): { call: Call; close(): void } {
  const waiting = new Set<(error: ServiceError) => void>();
  let over: ServiceError | undefined;
  const stop = (error: ServiceError) => {
    over ??= error;
    for (const reject of waiting) reject(error);
    waiting.clear();
  };
  const unlisten = ends.map((signal) => onAbort(signal, stop));
  const call: Call = (path, start) =>
    new Promise((resolve, reject) => {
      if (over) return reject(over);
      waiting.add(reject);
      start((error, value) => {
        waiting.delete(reject);
        if (error) reject(sftpError(error, path));
        else resolve(value);
      });
    });
  return {
    call,
    close() {
      for (const stop of unlisten) stop();
    },
  };
}

function requests(raw: SFTPWrapper, call: Call): Omit<Sftp, "close" | "toTheEnd"> {
  const statPath = (path: string, request: "stat" | "lstat") =>
    call<RemoteStat | undefined>(path, (done) =>
      raw[request](path, (error, stats) =>
        isStatus(error, status.noSuchFile) ? done(null, undefined) : done(error, stats && statOf(stats)),
      ),
    );
  const remove = (path: string) => call<void>(path, (done) => raw.unlink(path, (error) => done(error)));
  return {
    stat: (path) => statPath(path, "stat"),
    lstat: (path) => statPath(path, "lstat"),
    realpath: (path) => call<string>(path, (done) => raw.realpath(path, done)),
    open: async (path, use, mode) => {
      const attributes = mode === undefined ? {} : { mode };
      return openFile(
        raw,
        call,
        path,
        await call<Buffer>(path, (done) => raw.open(path, flags[use], attributes, done)),
      );
    },
    rename: (from, to) => call<void>(to, (done) => raw.rename(from, to, (error) => done(error))),
    replacesAtOnce: () => offers(raw, "posix-rename@openssh.com"),
    replace: (from, to) => call<void>(to, (done) => raw.ext_openssh_rename(from, to, (error) => done(error))),
    remove,
    chmod: (path, mode) => call<void>(path, (done) => raw.chmod(path, mode, (error) => done(error))),
    mkdir: (path) => call<void>(path, (done) => raw.mkdir(path, (error) => done(error))),
    list: (path) => listFolder(raw, call, path),
    async free(path) {
      if (!offers(raw, "statvfs@openssh.com")) return undefined;
      const statvfs = await call<{ f_bavail: number; f_frsize: number }>(path, (done) =>
        raw.ext_openssh_statvfs(path, done),
      );
      return Number(statvfs.f_bavail) * Number(statvfs.f_frsize);
    },
  };
}

function openFile(raw: SFTPWrapper, call: Call, path: string, handle: Buffer): RemoteFile {
  return {
    readBytes: longestRead(raw),
    stat: async () => statOf(await call<Stats>(path, (done) => raw.fstat(handle, done))),
    read: (offset, length) =>
      call<Buffer>(path, (done) => {
        const room = Buffer.allocUnsafe(length);
        raw.read(handle, room, 0, length, offset, (error, count) =>
          isStatus(error, status.endOfFile)
            ? done(null, room.subarray(0, 0))
            : done(error, room.subarray(0, count)),
        );
      }),
    write: (offset, bytes) =>
      call<void>(path, (done) => raw.write(handle, bytes, 0, bytes.length, offset, (error) => done(error))),
    chmod: (mode) => call<void>(path, (done) => raw.fchmod(handle, mode, (error) => done(error))),
    chown: (uid, gid) => call<void>(path, (done) => raw.fchown(handle, uid, gid, (error) => done(error))),
    async sync() {
      if (!offers(raw, "fsync@openssh.com")) return false;
      const synced = call<void>(path, (done) => raw.ext_openssh_fsync(handle, (error) => done(error)));
      return synced.then(
        () => true,
        (error) => {
          if (lacksRequest(error)) return false;
          throw error;
        },
      );
    },
    close: () => call<void>(path, (done) => raw.close(handle, (error) => done(error))),
  };
}

async function* listFolder(
  raw: SFTPWrapper,
  call: Call,
  path: string,
): AsyncGenerator<readonly RemoteEntry[]> {
  const handle = await call<Buffer>(path, (done) => raw.opendir(path, done));
  try {
    for (;;) {
      const batch = await call<readonly RemoteEntry[] | undefined>(path, (done) =>
        raw.readdir(handle, (error, list) =>
          isStatus(error, status.endOfFile)
            ? done(null, undefined)
            : done(
                error,
                list?.map(({ filename, longname, attrs }) => ({
                  name: filename,
                  stat: statOf(attrs, longname),
                })),
              ),
        ),
      );
      if (batch === undefined) return;
      yield batch;
    }
  } finally {
    await call<void>(path, (done) => raw.close(handle, (error) => done(error))).catch(() => {});
  }
}

/** A server need not send any of the attributes, and ssh2's types do not say so. */
function statOf(stats: Stats, longname = ""): RemoteStat {
  const { size, uid, gid, mtime, mode }: Partial<Stats> = stats;
  const kind = mode === undefined ? kindOfLine(longname) : kindOf(stats);
  return { kind, size, uid, gid, mtime, mode: mode === undefined ? undefined : mode & 0o7777 };
}

function kindOf(stats: Stats): RemoteStat["kind"] {
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "other";
}

/** The line of `ls -l`: without it the entry is taken for a file, which fails by itself if it is none. */
function kindOfLine(longname: string): RemoteStat["kind"] {
  const kinds: Readonly<Record<string, RemoteStat["kind"]>> = {
    d: "folder",
    l: "link",
    b: "other",
    c: "other",
    p: "other",
    s: "other",
  };
  return /^[-dlbcps][-rwxsStT]{9}/.test(longname) ? (kinds[longname[0] ?? ""] ?? "file") : "file";
}

/** Extensions that the server announced at the start. ssh2 keeps them in a field missing from its types. */
function offers(raw: SFTPWrapper, extension: string): boolean {
  const extensions: unknown = "_extensions" in raw ? raw._extensions : undefined;
  return typeof extensions === "object" && extensions !== null && extension in extensions;
}

function longestRead(raw: SFTPWrapper): number {
  const maxReadLength: unknown = "_maxReadLen" in raw ? raw._maxReadLen : undefined;
  return typeof maxReadLength === "number" && maxReadLength > 0 ? maxReadLength : 32_768;
}
