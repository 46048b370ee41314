/** An SFTP server in memory that can do only what version 3 requires, or less, and fails at any chosen request. */
import { generateKeyPairSync } from "node:crypto";
import type { AddressInfo } from "node:net";
import {
  Server,
  type Connection as ServerConnection,
  type SFTPWrapper,
  utils,
} from "../../../src/device/ssh/ssh2.ts";

const { STATUS_CODE: status, OPEN_MODE: mode } = utils.sftp;

export interface Quirks {
  /** Requests that it refuses, and with which status. */
  readonly refuses?: Readonly<Record<string, keyof typeof status>>;
  readonly noSize?: boolean;
  readonly noMode?: boolean;
  readonly wrongSize?: number;
  /** Bytes of a reply at most. */
  readonly shortReads?: number;
  /** A plain rename replaces an existing file. */
  readonly renameReplaces?: boolean;
  /** Called for each request, after its effect unless it throws; `cut` ends the connection at once. */
  at?(request: string, count: number, cut: () => void): "refuse" | "cut-before" | "cut-after" | undefined;
}

export interface QuirkySftp {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly files: Map<string, Buffer>;
  readonly modes: Map<string, number>;
  readonly requests: string[];
  quirks: Quirks;
  stop(): void;
}

const hostKey = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
}).privateKey;

export async function startQuirkySftp(): Promise<QuirkySftp> {
  const connections = new Set<ServerConnection>();
  const listener = new Server({ hostKeys: [hostKey] }, (connection) => {
    connections.add(connection);
    connection.on("error", () => {});
    connection.on("close", () => void connections.delete(connection));
    connection.on("authentication", (login) =>
      login.method === "password" ? login.accept() : login.reject(["password"]),
    );
    connection.on("session", (accept) => {
      const session = accept();
      session.on("exec", (_accept, reject) => reject());
      session.on("sftp", (acceptSftp) => serve(acceptSftp(), server, () => cut(connection)));
    });
  });
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  const server: QuirkySftp = {
    host: "127.0.0.1",
    port,
    user: "u",
    password: "p",
    files: new Map(),
    modes: new Map(),
    requests: [],
    quirks: {},
    stop() {
      for (const connection of connections) cut(connection);
      listener.close();
    },
  };
  return server;
}

function cut(connection: ServerConnection): void {
  const socket: unknown = Reflect.get(connection, "_sock");
  if (typeof socket === "object" && socket !== null && "destroy" in socket)
    Reflect.apply(socket.destroy as () => void, socket, []);
}

/** What a file that was written can grow into: to copy all of it with each write takes most of a test's time. */
const rooms = new WeakMap<Buffer, Buffer>();

function written(before: Buffer = Buffer.alloc(0), offset: number, bytes: Buffer): Buffer {
  const size = Math.max(before.length, offset + bytes.length);
  let room = rooms.get(before) ?? before.subarray(0, 0);
  if (room.length < size) {
    room = Buffer.alloc(2 * size);
    before.copy(room);
  }
  bytes.copy(room, offset);
  const content = room.subarray(0, size);
  rooms.set(content, room);
  return content;
}

function serve(sftp: SFTPWrapper, server: QuirkySftp, cutNow: () => void): void {
  const { files, modes } = server;
  const handles = new Map<number, string>();
  let nextHandle = 1;
  const pathOf = (handle: Buffer) => handles.get(handle.readUInt32BE(0)) ?? "";
  const attributes = (path: string) => {
    const { noSize, noMode, wrongSize } = server.quirks;
    const size = wrongSize ?? files.get(path)?.length ?? 0;
    const all = {
      mode: 0o100000 | (modes.get(path) ?? 0o644),
      uid: 1000,
      gid: 1000,
      size,
      atime: 1,
      mtime: 1,
    };
    return Object.fromEntries(
      Object.entries(all).filter(([name]) => !(noSize && name === "size") && !(noMode && name === "mode")),
    ) as typeof all;
  };
  /** @param effect answers the request */
  function take(id: number, request: string, effect: () => void): void {
    const { refuses, at } = server.quirks;
    server.requests.push(request);
    const refused = refuses?.[request];
    if (refused !== undefined) {
      sftp.status(id, status[refused]);
      return;
    }
    const what = at?.(request, server.requests.length - 1, cutNow);
    if (what === "refuse") {
      sftp.status(id, status.FAILURE);
      return;
    }
    if (what === "cut-after") {
      sftp.status = () => {};
      effect();
    }
    if (what === undefined) effect();
    else cutNow();
  }
  const stat = (name: string) => (id: number, path: string) =>
    take(id, name, () =>
      files.has(path) ? sftp.attrs(id, attributes(path)) : sftp.status(id, status.NO_SUCH_FILE),
    );
  sftp.on("STAT", stat("STAT"));
  sftp.on("LSTAT", stat("LSTAT"));
  sftp.on("FSTAT", (id, handle) => take(id, "FSTAT", () => sftp.attrs(id, attributes(pathOf(handle)))));
  sftp.on("OPEN", (id, path, flags) =>
    take(id, "OPEN", () => {
      if (!files.has(path) && !(flags & mode.CREAT)) return sftp.status(id, status.NO_SUCH_FILE);
      if (!files.has(path) || flags & mode.TRUNC) files.set(path, Buffer.alloc(0));
      const handle = Buffer.alloc(4);
      handle.writeUInt32BE(nextHandle);
      handles.set(nextHandle++, path);
      sftp.handle(id, handle);
    }),
  );
  sftp.on("WRITE", (id, handle, offset, bytes) =>
    take(id, "WRITE", () => {
      files.set(pathOf(handle), written(files.get(pathOf(handle)), offset, bytes));
      sftp.status(id, status.OK);
    }),
  );
  sftp.on("READ", (id, handle, offset, length) =>
    take(id, "READ", () => {
      const content = files.get(pathOf(handle)) ?? Buffer.alloc(0);
      if (offset >= content.length) return sftp.status(id, status.EOF);
      sftp.data(id, content.subarray(offset, offset + Math.min(length, server.quirks.shortReads ?? length)));
    }),
  );
  const setMode = (path: string, attrs: { mode?: number }) => {
    if (attrs.mode !== undefined) modes.set(path, attrs.mode & 0o777);
  };
  sftp.on("FSETSTAT", (id, handle, attrs) =>
    take(id, "FSETSTAT", () => {
      setMode(pathOf(handle), attrs);
      sftp.status(id, status.OK);
    }),
  );
  sftp.on("CLOSE", (id) => take(id, "CLOSE", () => sftp.status(id, status.OK)));
  sftp.on("REMOVE", (id, path) =>
    take(id, "REMOVE", () => sftp.status(id, files.delete(path) ? status.OK : status.NO_SUCH_FILE)),
  );
  sftp.on("RENAME", (id, from, to) =>
    take(id, "RENAME", () => {
      const content = files.get(from);
      if (content === undefined) return sftp.status(id, status.NO_SUCH_FILE);
      if (files.has(to) && server.quirks.renameReplaces !== true) return sftp.status(id, status.FAILURE);
      files.delete(from);
      files.set(to, content);
      sftp.status(id, status.OK);
    }),
  );
}
