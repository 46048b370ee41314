/**
 * A relay in front of a device that speaks UDP. Where the relay of TCP cuts a connection, this one drops what the device
 * sends: a datagram arrives whole or not at all. A client's port is what a connection is there.
 */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { Relay } from "./relay.ts";

/** The first datagram beyond the limit, and all that follow, are dropped. */
interface Flow {
  readonly socket: Socket;
  readonly limit: number;
  readonly drops: boolean;
  readonly packets: number[];
  passed: number;
}

export async function startUdpRelay(to: { host?: string; port: number }, host = "127.0.0.1"): Promise<Relay> {
  const flows = new Map<string, Flow>();
  const server = createSocket(host.includes(":") ? "udp6" : "udp4");
  let connections = 0;
  let cuts = 0;
  let limit = Number.POSITIVE_INFINITY;
  let drops = false;
  let held = Promise.withResolvers<void>();
  let packets: readonly number[] = [];

  function flowOf(address: string, port: number): Flow {
    const key = `${address} ${port}`;
    const known = flows.get(key);
    if (known !== undefined) return known;
    const { host: target = "127.0.0.1" } = to;
    const socket = createSocket(target.includes(":") ? "udp6" : "udp4");
    const flow: Flow = { socket, limit, drops, packets: [], passed: 0 };
    flows.set(key, flow);
    connections++;
    packets = flow.packets;
    // That nobody listens there looks like silence, as behind a router.
    socket.on("error", () => {});
    socket.on("message", (datagram) => {
      flow.passed += datagram.length;
      flow.packets.push(flow.passed);
      if (flow.passed <= flow.limit) server.send(datagram, port, address);
      if (flow.passed < flow.limit) return;
      if (!flow.drops) held.resolve();
      else if (flow.passed > flow.limit) cuts++;
    });
    return flow;
  }

  server.on("message", (datagram, from) => {
    const { socket } = flowOf(from.address, from.port);
    socket.send(datagram, to.port, to.host ?? "127.0.0.1");
  });
  const listening = once(server, "listening");
  server.bind(0, host);
  await listening;

  function forget(): void {
    for (const { socket } of flows.values()) socket.close();
    flows.clear();
  }
  function set(bytes: number, dropsThem: boolean): void {
    limit = bytes;
    drops = dropsThem;
    // A client that keeps its port begins anew.
    forget();
  }

  return {
    port: server.address().port,
    connections: () => connections,
    // Nothing says that a client is gone.
    open: () => 0,
    packets: () => packets,
    pass: () => set(Number.POSITIVE_INFINITY, false),
    dropAfter: (bytes) => set(bytes, true),
    holdAfter(bytes) {
      held = Promise.withResolvers();
      set(bytes, false);
      return { held: held.promise };
    },
    cuts: () => cuts,
    resetAll: forget,
    idle: async () => {},
    async stop() {
      forget();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}
