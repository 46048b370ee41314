/** A TCP proxy that adds a round-trip time, in this process, to simulate distance. */
import { connect, createServer, type Server, type Socket } from "node:net";

export interface SlowLine {
  readonly port: number;
  close(): void;
}

/** Forwards to a loopback port. @param host address to listen on */
export async function slowLine(port: number, roundTripMs: number, host = "127.0.0.1"): Promise<SlowLine> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    near.setNoDelay(true);
    const beyond = connect({ port, host: "127.0.0.1", noDelay: true });
    for (const socket of [near, beyond]) {
      sockets.add(socket);
      socket.on("close", () => void sockets.delete(socket));
    }
    delay(near, beyond, roundTripMs / 2);
    delay(beyond, near, roundTripMs / 2);
  });
  await new Promise<void>((listening) => server.listen(0, host, listening));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Forwards all data `oneWayMs` later, in order. */
function delay(from: Socket, to: Socket, oneWayMs: number): void {
  from.on("data", (chunk) => void setTimeout(() => to.writable && to.write(chunk), oneWayMs));
  from.on("close", () => void setTimeout(() => to.destroy(), oneWayMs));
  from.on("error", () => to.destroy());
}
