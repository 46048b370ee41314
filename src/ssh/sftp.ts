/** SFTP requests as promises that settle with the task or the connection, whatever the server does. */
import { onAbort, type TimeLimit } from "../base/deadline.ts";
import type { ServiceError } from "../base/errors.ts";
import { askSession } from "./sessions.ts";
import { isStatus, sftpError, status } from "./sftp-error.ts";
import type { SFTPWrapper, Stats } from "./ssh2.ts";
import { connectionLost } from "./target.ts";
import type { Transport } from "./transport.ts";

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
  /** fsyncs the file, if the server supports it. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface RemoteStat {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly size: number;
  /** Permission bits; undefined if the server does not report them. */
  readonly mode: number | undefined;
  readonly uid: number;
  readonly gid: number;
  /** Seconds. */
  readonly mtime: number;
}

export interface Sftp {
  /** Undefined if there is no such file. `lstat` does not follow links. */
  stat(path: string): Promise<RemoteStat | undefined>;
  lstat(path: string): Promise<RemoteStat | undefined>;
  /** Resolves links. */
  realpath(path: string): Promise<string>;
  /** `fresh` creates or truncates, `continue` writes into an existing file, `either` creates a missing one. */
  open(path: string, use: keyof typeof flags, mode?: number): Promise<RemoteFile>;
  /** Replaces an existing file if `replace` is true; otherwise fails. */
  rename(from: string, to: string, replace: boolean): Promise<void>;
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
  const waiting = new Set<(error: ServiceError) => void>();
  let over: ServiceError | undefined;
  const stop = (error: ServiceError) => {
    over ??= error;
    for (const reject of waiting) reject(error);
    waiting.clear();
  };
  const unlisten = [onAbort(limit.signal, stop), onAbort(transport.ended, stop)];
  raw.on("close", () => stop(connectionLost(transport.endpoint)));
  // A malformed packet: ssh2 closes the channel, but its error needs a listener.
  raw.on("error", (error: Error) => stop(connectionLost(transport.endpoint, error)));

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
    ...requests(raw, call),
    close() {
      for (const stop of unlisten) stop();
      raw.end();
    },
  };
}

function requests(raw: SFTPWrapper, call: Call): Omit<Sftp, "close"> {
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
    async rename(from, to, replace) {
      if (replace && offers(raw, "posix-rename@openssh.com"))
        return call<void>(to, (done) => raw.ext_openssh_rename(from, to, (error) => done(error)));
      if (replace) await remove(to).catch(() => {});
      return call<void>(to, (done) => raw.rename(from, to, (error) => done(error)));
    },
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
      if (!offers(raw, "fsync@openssh.com")) return;
      await call<void>(path, (done) => raw.ext_openssh_fsync(handle, (error) => done(error)));
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
                list?.map(({ filename, attrs }) => ({ name: filename, stat: statOf(attrs) })),
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

function statOf(stats: Stats): RemoteStat {
  const kind = stats.isFile()
    ? "file"
    : stats.isDirectory()
      ? "folder"
      : stats.isSymbolicLink()
        ? "link"
        : "other";
  const { size = 0, uid, gid, mtime, mode } = stats;
  return { kind, size, uid, gid, mtime, mode: mode === undefined ? undefined : mode & 0o7777 };
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
