/**
 * A TCP relay in front of a device. It cuts the connection, or holds back the device's output, after any number of
 * bytes.
 */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { until } from "./case.ts";

export interface Relay {
  readonly port: number;
  /** Connections so far. */
  connections(): number;
  /** Connections open now. */
  open(): number;
  /** Running byte count of the device's output at the end of each packet of the last connection. */
  packets(): readonly number[];
  /** Passes everything from now on. */
  pass(): void;
  /** Cuts each further connection after this many bytes from the device. */
  dropAfter(bytes: number): void;
  /**
   * Passes only this many bytes from the device on each further connection; `held` resolves when the first connection
   * reaches the limit.
   */
  holdAfter(bytes: number): { readonly held: Promise<void> };
  /** Connections cut by `dropAfter`. */
  cuts(): number;
  /** Resets all open connections, like a device that is switched off. */
  resetAll(): void;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRelay(to: { host?: string; port: number }, host = "127.0.0.1"): Promise<Relay> {
  let connections = 0;
  let cuts = 0;
  let limit = Number.POSITIVE_INFINITY;
  let drops = false;
  let held = Promise.withResolvers<void>();
  let packets: number[] = [];
  const open = new Set<Socket>();

  const server = createServer({ noDelay: true }, (incoming) => {
    connections++;
    open.add(incoming);
    const outgoing = connect({ host: to.host ?? "127.0.0.1", port: to.port, noDelay: true });
    const ownPackets: number[] = [];
    packets = ownPackets;
    let passed = 0;
    const most = limit;
    const cutsIt = drops;
    const cut = () => {
      cuts++;
      incoming.resetAndDestroy();
    };
    incoming.on("error", () => outgoing.destroy());
    outgoing.on("error", () => incoming.destroy());
    incoming.on("close", () => {
      open.delete(incoming);
      outgoing.destroy();
    });
    outgoing.on("close", () => {
      if (passed < most || cutsIt) incoming.end();
    });
    incoming.on("data", (chunk) => void outgoing.write(chunk));
    outgoing.on("data", (chunk) => {
      const room = Math.max(0, most - passed);
      passed += chunk.length;
      ownPackets.push(passed);
      if (room > 0) incoming.write(chunk.subarray(0, room));
      if (passed < most) return;
      if (!cutsIt) held.resolve();
      else if (!incoming.destroyed) cut();
    });
    if (most > 0) return;
    if (cutsIt) cut();
    else held.resolve();
  });
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();

  function set(bytes: number, cutsThem: boolean): void {
    limit = bytes;
    drops = cutsThem;
  }

  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    connections: () => connections,
    open: () => open.size,
    packets: () => packets,
    pass: () => set(Number.POSITIVE_INFINITY, false),
    dropAfter: (bytes) => set(bytes, true),
    holdAfter(bytes) {
      held = Promise.withResolvers();
      set(bytes, false);
      return { held: held.promise };
    },
    cuts: () => cuts,
    resetAll() {
      for (const socket of open) socket.resetAndDestroy();
    },
    idle: () => until(() => open.size === 0),
    async stop() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
