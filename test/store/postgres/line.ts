/** The way to a server, with the faults of a network. */
import { connect, createServer, type Server, type Socket } from "node:net";

export interface Line {
  readonly port: number;
  /** Cuts a connection at its next commit: before it arrives, or before its answer does. Needs `prepare=off`. */
  cutNext(how: "before" | "after"): void;
  cuts(): number;
  /** The connections that there are pass nothing on any more, and do not end; new ones do. */
  freeze(): void;
  stop(): Promise<void>;
}

export async function startLine(port: number): Promise<Line> {
  let cut: "before" | "after" | undefined;
  let cuts = 0;
  let freezes = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const behind = connect(port, "127.0.0.1");
    const since = freezes;
    let isDeaf = false;
    const end = () => {
      client.destroy();
      behind.destroy();
    };
    for (const socket of [client, behind]) {
      sockets.add(socket);
      socket.on("error", end);
      socket.on("close", end);
    }
    client.on("data", (bytes) => {
      if (since < freezes) return;
      if (cut === undefined || !/\bcommit\b/.test(bytes.toString("latin1"))) {
        behind.write(bytes);
        return;
      }
      cuts++;
      const isBefore = cut === "before";
      cut = undefined;
      if (isBefore) {
        end();
        return;
      }
      isDeaf = true;
      behind.write(bytes);
    });
    behind.on("data", (bytes) => {
      if (isDeaf) end();
      else if (since === freezes) client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cutNext(how) {
      cut = how;
    },
    cuts: () => cuts,
    freeze() {
      freezes++;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
