/**
 * UDP for drivers: a socket that exchanges datagrams with one peer, and a form of it for libraries that make their socket
 * by themselves.
 */
import type { Context } from "./kit.ts";

export interface UdpKit {
  /**
   * Resolves the name once, checks the address against the operator's policy and the caller's key, and opens a socket for
   * that peer. Nothing is sent yet.
   * @throws PluginError Forbidden, HostUnreachable, ResourceExhausted
   */
  open(to: UdpTarget, ctx: Context): Promise<UdpSocket>;
}

export interface UdpTarget {
  readonly host: string;
  readonly port: number;
  /** Bound on what is delivered without being asked for; default 64 datagrams for each one sent. Others are dropped. */
  readonly answersPerDatagram?: number;
}

export interface UdpSocket {
  /** The peer, as the name was resolved. */
  readonly address: string;
  readonly family: "udp4" | "udp6";
  /**
   * @throws PluginError WorkerLost: the lease of the node has ended; ConnectionLost: the socket is closed
   */
  send(datagram: Uint8Array): void;
  /** Datagrams of the peer; those of any other address or port are dropped. One listener. */
  onMessage(listener: (datagram: Uint8Array) => void): void;
  /** ConnectionRefused if the peer's system says that nobody listens; the socket stays open. Called once at its end. */
  onError(listener: (error: Error) => void): void;
  /** False once it is closed. */
  open(): boolean;
  close(): void;
  /**
   * A stand-in for the module `node:dgram`: `createSocket` returns this socket, which sends to its peer whatever address
   * is given, and obeys the same rules. For libraries that take such a module as an option.
   */
  readonly dgram: DgramModule;
}

/** The part of `node:dgram` that clients use. */
export interface DgramModule {
  createSocket(type: unknown): DgramSocket;
}

export interface DgramSocket {
  on(event: string, listener: (...given: never[]) => void): DgramSocket;
  /** As `socket.send(buffer, offset, length, port, address, callback)`. */
  send(
    buffer: Uint8Array,
    offset: number,
    length: number,
    port: number,
    address: string,
    callback?: (error: Error | null, bytes?: number) => void,
  ): void;
  bind(...given: unknown[]): DgramSocket;
  close(): DgramSocket;
  ref(): DgramSocket;
  unref(): DgramSocket;
}
