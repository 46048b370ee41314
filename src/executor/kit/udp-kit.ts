/** `kit.udp`: sockets that exchange datagrams with one checked peer. */
import { createSocket } from "node:dgram";
import { EventEmitter } from "node:events";
import { ServiceError } from "../../base/errors.ts";
import { requireDescriptor } from "../../base/files/descriptors.ts";
import { networkError } from "../../base/net/dial.ts";
import { abortReason } from "../../base/time/deadline.ts";
import type { Context, DgramSocket, UdpKit, UdpSocket, UdpTarget } from "../../plugin/index.ts";
import type { CheckAddress } from "./http-address.ts";

export interface UdpKitOptions {
  readonly check: CheckAddress;
  /**
   * Called before each datagram.
   * @throws ServiceError WorkerLost
   */
  checkLease(): void;
}

const defaultAnswers = 64;

export function createUdpKit({ check, checkLease }: UdpKitOptions): UdpKit {
  return {
    async open(to: UdpTarget, ctx: Context): Promise<UdpSocket> {
      if (ctx.signal.aborted) throw abortReason(ctx.signal);
      requireDescriptor();
      const { address, family } = await check(to.host);
      checkLease();
      return socketTo({ ...to, address, family: family === 6 ? "udp6" : "udp4" }, checkLease);
    },
  };
}

interface Peer extends UdpTarget {
  readonly address: string;
  readonly family: UdpSocket["family"];
}

function socketTo(peer: Peer, checkLease: () => void): Promise<UdpSocket> {
  const { host, port, address, family, answersPerDatagram = defaultAnswers } = peer;
  const socket = createSocket(family);
  let isOpen = true;
  /** How many datagrams may still arrive. */
  let credit = 0;
  let onMessage: (datagram: Uint8Array) => void = () => {};
  let onError: (error: Error) => void = () => {};

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    socket.close();
    onError(new ServiceError("ConnectionLost", `The socket to ${host}:${port} was closed.`));
  }

  function send(datagram: Uint8Array): void {
    if (!isOpen) throw new ServiceError("ConnectionLost", `The socket to ${host}:${port} is closed.`);
    checkLease();
    credit = Math.min(credit + answersPerDatagram, answersPerDatagram * 64);
    socket.send(datagram);
  }

  socket.on("message", (datagram) => {
    if (credit <= 0) return;
    credit--;
    onMessage(datagram);
  });

  const udp: UdpSocket = {
    address,
    family,
    send,
    onMessage(listener) {
      onMessage = listener;
    },
    onError(listener) {
      onError = listener;
    },
    open: () => isOpen,
    close,
    dgram: { createSocket: () => dgramOf(udp) },
  };
  return new Promise((resolve, reject) => {
    // A connected socket gets datagrams of its peer only, and learns that nobody listens.
    socket.once("error", reject);
    socket.connect(port, address, () => {
      socket.off("error", reject);
      socket.on("error", (error) => onError(networkError(error, { host, port })));
      resolve(udp);
    });
  }).catch((error: unknown) => {
    socket.close();
    throw networkError(error, { host, port });
  }) as Promise<UdpSocket>;
}

/** The socket in the form of `node:dgram`. */
function dgramOf(udp: UdpSocket): DgramSocket {
  const events = new EventEmitter();
  // Without a listener an error would end the thread.
  events.on("error", () => {});
  udp.onMessage((datagram) => void events.emit("message", datagram, { address: udp.address }));
  udp.onError((error) => {
    if (udp.open()) events.emit("error", error);
    else events.emit("close");
  });
  const dgram: DgramSocket = {
    on(event, listener) {
      events.on(event, listener as (...given: unknown[]) => void);
      return dgram;
    },
    send(buffer, offset, length, _port, _address, callback = () => {}) {
      // Answered first: a library that registers its request there must not miss a fast reply.
      try {
        callback(null, length);
        udp.send(buffer.subarray(offset, offset + length));
      } catch (error) {
        events.emit("error", error);
      }
    },
    bind: () => dgram,
    close() {
      udp.close();
      return dgram;
    },
    ref: () => dgram,
    unref: () => dgram,
  };
  return dgram;
}
