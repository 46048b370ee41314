/**
 * What the tools of one session opened, so that it can be cut off: a driver that does not end after its task was
 * stopped sends nothing more, whatever it does.
 */

import type { ServiceError } from "../base/errors.ts";
import type { ByteStream } from "../base/net/byte-stream.ts";
import type { Ssh } from "../device/ssh/connect.ts";
import type { Connection } from "../device/ssh/connection.ts";
import type { HttpKit, HttpSession, UdpKit } from "../plugin/index.ts";
import type { LeaseGuard } from "./kit/lease-guard.ts";

export interface SessionScope extends LeaseGuard {
  /** Closes at once everything that was opened; the tools then refuse everything with this reason. */
  cut(reason: ServiceError): void;
  /** Stops reading from all of it until the returned function is called. */
  hold(): () => void;
  ssh(ssh: Ssh): Ssh;
  http(kit: HttpKit): HttpKit;
  udp(kit: UdpKit): UdpKit;
}

export function createSessionScope(lease: LeaseGuard): SessionScope {
  const open = new Set<() => void>();
  const read = new Set<() => () => void>();
  let reason: ServiceError | undefined;

  function check(): void {
    if (reason) throw reason;
    lease.check();
  }

  /** @returns forgets it, once it has closed by itself */
  function own(destroy: () => void, hold?: () => () => void): () => void {
    open.add(destroy);
    if (hold) read.add(hold);
    return () => {
      open.delete(destroy);
      if (hold) read.delete(hold);
    };
  }

  function guard(stream: ByteStream): ByteStream {
    const guarded = lease.guard(stream);
    const forget = own(guarded.destroy, guarded.hold);
    return {
      ...guarded,
      write(data) {
        check();
        guarded.write(data);
      },
      onClose: (listener) =>
        guarded.onClose((error) => {
          forget();
          listener(error);
        }),
      end: () => guarded.end().finally(forget),
    };
  }

  function connectionOf(connection: Connection): Connection {
    const forget = own(connection.destroy, connection.hold);
    connection.onLost(forget);
    return { ...connection, close: () => connection.close().finally(forget) };
  }

  return {
    check,
    guard,
    cut(why) {
      reason ??= why;
      for (const destroy of [...open]) destroy();
      open.clear();
      read.clear();
    },
    hold() {
      const frees = [...read].map((hold) => hold());
      return () => {
        for (const free of frees) free();
      };
    },
    ssh: (ssh) => ({
      async connect(target, limit) {
        check();
        const connection = await ssh.connect(target, limit);
        if (!reason) return connectionOf(connection);
        connection.destroy();
        throw reason;
      },
    }),
    udp: (kit) => ({
      async open(to, ctx) {
        check();
        const socket = await kit.open(to, ctx);
        if (reason) {
          socket.close();
          throw reason;
        }
        const forget = own(socket.close);
        const close = () => {
          forget();
          socket.close();
        };
        return { ...socket, close };
      },
    }),
    http: (kit) => ({
      ...kit,
      async session(options, ctx) {
        const session: HttpSession = await kit.session(options, ctx);
        // Ends the requests in flight too.
        const forget = own(() => void session.close());
        return { ...session, close: () => session.close().finally(forget) };
      },
    }),
  };
}
