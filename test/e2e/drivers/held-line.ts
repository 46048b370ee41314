/** A TCP proxy that stops in the middle of what the server sends, or behind what the client has sent. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface HeldLine {
  readonly port: number;
  /** Passes this many bytes of the server, counted from the next, and then no more; resolves at that moment. */
  holdAfter(bytes: number): Promise<void>;
  /** Passes this many writes of the client, counted from the next, and from then on nothing of the server. */
  holdAt(writes: number): Promise<void>;
  /** Lets them go on. */
  release(): void;
  close(): void;
}

/** Forwards to a loopback port. @param host an address of the loopback, on which it listens */
export async function heldLine(port: number, host = "127.0.0.1"): Promise<HeldLine> {
  const sockets = new Set<Socket>();
  let goOn = () => {};
  let left = Number.POSITIVE_INFINITY;
  let writes = Number.POSITIVE_INFINITY;
  let held = () => {};
  const server = createServer((near) => {
    const beyond = connect({ port, host: "127.0.0.1" });
    for (const socket of [near, beyond]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    near.pipe(beyond);
    near.on("data", () => {
      if (--writes > 0) return;
      beyond.pause();
      goOn = () => beyond.resume();
      held();
    });
    near.on("close", () => beyond.destroy());
    beyond.on("data", (chunk) => {
      near.write(chunk);
      left -= chunk.length;
      if (left > 0) return;
      beyond.pause();
      goOn = () => beyond.resume();
      held();
    });
    beyond.on("end", () => near.end());
    beyond.on("close", () => near.destroySoon());
  });
  await once(server.listen(0, host), "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    holdAfter: (bytes) =>
      new Promise((resolve) => {
        left = bytes;
        held = resolve;
      }),
    holdAt: (count) =>
      new Promise((resolve) => {
        writes = count;
        held = resolve;
      }),
    release() {
      left = writes = Number.POSITIVE_INFINITY;
      goOn();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
