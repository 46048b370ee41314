/** A server that speaks HTTP/2 frame by frame, as a test says: also what no server should send. */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

export const types = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;
export const flags = { none: 0, end: 1, endHeaders: 4 } as const;

export function frame(type: number, flag: number, stream: number, payload: Uint8Array = new Uint8Array()) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header field that is not indexed. */
function field(name: string, value: string): Buffer {
  const text = (of: string) => Buffer.concat([Buffer.from([of.length]), Buffer.from(of)]);
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}
export const fields = (all: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(Object.entries(all).map(([name, value]) => field(name, value)));

export const settings = frame(types.settings, flags.none, 0);
const grpc = { "content-type": "application/grpc" };
export const answerHead = (stream: number) =>
  frame(types.headers, flags.endHeaders, stream, Buffer.concat([Buffer.from([0x88]), fields(grpc)]));
export const trailersOnly = (stream: number, more: Readonly<Record<string, string>>) =>
  frame(
    types.headers,
    flags.endHeaders | flags.end,
    stream,
    Buffer.concat([Buffer.from([0x88]), fields({ ...grpc, ...more })]),
  );
export const trailers = (stream: number, status: number, words?: string) =>
  frame(
    types.headers,
    flags.endHeaders | flags.end,
    stream,
    fields({ "grpc-status": String(status), ...(words === undefined ? {} : { "grpc-message": words }) }),
  );

/** A message in front of which stands its length, or another one. */
export function message(bytes: Uint8Array, { length = bytes.length, packed = 0 } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(packed, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, bytes]);
}
export const data = (stream: number, bytes: Uint8Array) => frame(types.data, flags.none, stream, bytes);

export interface Liar {
  readonly port: number;
  /** Types of the frames that came, of all connections. */
  readonly heard: number[];
  /** Bytes that could be written. */
  sent(): number;
  stop(): Promise<void>;
}

export interface Caller {
  readonly socket: Socket;
  send(...frames: readonly Buffer[]): void;
  /** Sends for as long as the client reads. */
  flood(piece: Buffer): void;
}

interface Behaviour {
  /** What it sends first; default: its settings. */
  readonly greets?: readonly Buffer[];
  /** A call has arrived whole. */
  onCall?(stream: number, caller: Caller): void;
  /** A call has begun. */
  onOpen?(stream: number, caller: Caller): void;
}

export async function startLiar({
  greets = [settings],
  onCall = () => {},
  onOpen = () => {},
}: Behaviour): Promise<Liar> {
  const heard: number[] = [];
  const sockets = new Set<Socket>();
  let sent = 0;
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    const send = (...frames: readonly Buffer[]) => {
      for (const each of frames) {
        sent += each.length;
        socket.write(each);
      }
    };
    const flood = (piece: Buffer) => {
      const more = () => {
        while (!socket.destroyed) {
          sent += piece.length;
          if (!socket.write(piece)) return void socket.once("drain", more);
        }
      };
      more();
    };
    send(...greets);
    let had: Buffer = Buffer.alloc(0);
    let isGreeted = false;
    socket.on("data", (chunk) => {
      had = Buffer.concat([had, Buffer.from(chunk)]);
      if (!isGreeted && had.length >= 24) {
        isGreeted = true;
        had = had.subarray(24);
      }
      while (isGreeted && had.length >= 9 && had.length >= 9 + had.readUIntBE(0, 3)) {
        const [type = 0, flag = 0] = had.subarray(3, 5);
        const stream = had.readUInt32BE(5);
        had = had.subarray(9 + had.readUIntBE(0, 3));
        heard.push(type);
        if (type === types.settings && flag === 0 && greets.length > 0) send(frame(types.settings, 1, 0));
        if (type === types.headers) onOpen(stream, { socket, send, flood });
        if (type === types.data && (flag & flags.end) !== 0) onCall(stream, { socket, send, flood });
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    heard,
    sent: () => sent,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
