/** SFTP requests as promises that end with the task or the connection, whatever the server does. */
import { onAbort, type TimeLimit } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import type { SFTPWrapper, Stats } from "./ssh2.ts";
import { connectionLost } from "./target.ts";
import { ask, type Transport } from "./transport.ts";

export interface RemoteFile {
  size(): Promise<number>;
  /** At most `length` bytes, fewer where the server gives fewer; none at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
  write(offset: number, bytes: Buffer): Promise<void>;
  close(): Promise<void>;
}

export interface Sftp {
  /** Undefined where there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** `fresh` empties or creates it, `continue` writes into what is there. */
  open(path: string, use: "read" | "fresh" | "continue"): Promise<RemoteFile>;
  close(): void;
}

const flags = { read: "r", fresh: "w", continue: "r+" } as const;

/** Status codes of the protocol, version 3. */
const noSuchFile = 2;
const endOfFile = 1;
const texts: Readonly<Record<number, string>> = {
  2: "there is no such file",
  3: "permission denied",
  8: "the operation is not supported",
};

export async function openSftp(transport: Transport, limit: TimeLimit): Promise<Sftp> {
  const raw = await ask<SFTPWrapper>(
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
  // A broken packet; the channel is closed by ssh2, its error must have a listener.
  raw.on("error", (error: Error) => stop(connectionLost(transport.endpoint, error)));

  const call = <T>(
    path: string,
    start: (done: (error: Error | null | undefined, value: T) => void) => void,
  ) =>
    new Promise<T>((resolve, reject) => {
      if (over) return reject(over);
      waiting.add(reject);
      start((error, value) => {
        waiting.delete(reject);
        if (error) reject(sftpError(error, path));
        else resolve(value);
      });
    });

  const open = async (path: string, use: keyof typeof flags): Promise<RemoteFile> => {
    const handle = await call<Buffer>(path, (done) => raw.open(path, flags[use], done));
    return {
      size: async () => (await call<Stats>(path, (done) => raw.fstat(handle, done))).size,
      read: (offset, length) =>
        call<Buffer>(path, (done) => {
          const room = Buffer.allocUnsafe(length);
          raw.read(handle, room, 0, length, offset, (error, count) =>
            isStatus(error, endOfFile)
              ? done(null, room.subarray(0, 0))
              : done(error, room.subarray(0, count)),
          );
        }),
      write: (offset, bytes) =>
        call<void>(path, (done) => raw.write(handle, bytes, 0, bytes.length, offset, (error) => done(error))),
      close: () => call<void>(path, (done) => raw.close(handle, (error) => done(error))),
    };
  };
  return {
    size: (path) =>
      call<number | undefined>(path, (done) =>
        raw.stat(path, (error, stats) =>
          isStatus(error, noSuchFile) ? done(null, undefined) : done(error, stats?.size),
        ),
      ),
    open,
    close() {
      for (const stop of unlisten) stop();
      raw.end();
    },
  };
}

const isStatus = (error: unknown, status: number) =>
  error instanceof Error && "code" in error && error.code === status;

function sftpError(error: Error, path: string): ServiceError {
  const code = "code" in error && typeof error.code === "number" ? error.code : -1;
  if (code === -1 || code === 6 || code === 7) {
    return new ServiceError("ConnectionLost", `SFTP was lost: ${error.message}`, undefined, { cause: error });
  }
  return new ServiceError("DriverError", `Remote file ${path}: ${texts[code] ?? error.message}`, undefined, {
    cause: error,
  });
}
