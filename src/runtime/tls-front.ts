/**
 * HTTPS that asks callers for certificates and knows which one each connection showed. The runtime's HTTP server asks
 * for them but gives them to nobody; `node:tls` does. So TLS ends here, and what comes out of a connection goes unread
 * to an HTTP server of its own, on a socket below a folder that nobody else may enter, whose name goes once it is
 * connected. Which certificate a request has follows from the server that it came to: a caller can write nothing that
 * would change it.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createSecureContext, createServer, type TLSSocket } from "node:tls";
import { pause } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import type { ConnectionLimits, Listen, Listener, ShownCertificate, TlsIdentity } from "./listener.ts";
import { frontPrefix } from "./socket.ts";
import { createRoom } from "./tls-front-room.ts";

/** What one connection is: requests of it all come from here. */
export interface FrontedConnection {
  readonly from: string | null;
  readonly certificate: ShownCertificate | undefined;
}

interface FrontOptions {
  readonly listen: Listen;
  readonly tls: TlsIdentity;
  /** Folder in which the sockets lie. */
  readonly folder: string;
  /** Of connections, and as many more whose handshakes are under way. */
  readonly limits: ConnectionLimits;
  /** A connection was cut, since there is no room for it. */
  onFull(from: string): void;
  /** The HTTP server behind one connection; it tells each request. */
  openBehind(path: string, connection: FrontedConnection, onRequest: () => void): Listener;
}

export interface Front extends Listener {
  /** @throws Error it can not be used, and the one before goes on being shown */
  renew(tls: TlsIdentity): void;
}

const handshakeMs = 10_000;
/** A caller who does not read the end of his answer. */
const lingerMs = 10_000;
/** What a name of a socket may have, with its end. */
const longestSocketPath = 100;

/** @throws what the system says: the address is in use */
export async function openFront(options: FrontOptions): Promise<Front> {
  const { listen, tls, folder, limits, onFull, openBehind } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = mkdtempSync(join(folder, frontPrefix));
  if (place.length > longestSocketPath) {
    rmSync(place, { recursive: true, force: true });
    const text = `${folder} is too long a name for the sockets of client certificates: shorten the data directory's.`;
    throw new ServiceError("Unavailable", text);
  }
  const open = new Map<TLSSocket, Listener>();
  const isOwed = (socket: TLSSocket) => (open.get(socket)?.pendingRequests ?? 0) > 0;
  const cut = (socket: Socket) => void socket.destroy();
  const connections = createRoom({ limits, isInUse: isOwed, cut });
  // An honest one takes a moment, one that never ends takes ten seconds: the oldest makes room.
  const handshakes = createRoom<Socket>({ limits, isInUse: () => false, cut });
  let needsOne = tls.clientOptional !== true;
  let count = 0;
  let closed: Promise<void> | undefined;

  const server = createServer({ ...contextOf(tls), ...asks, handshakeTimeout: handshakeMs }, (socket) => {
    // It is told by its close.
    socket.on("error", () => {});
    handshakes.leave(socket);
    const certificate = shownBy(socket);
    if (certificate === "refused" || (certificate === undefined && needsOne)) return void socket.destroy();
    const from = socket.remoteAddress ?? null;
    if (connections.enter(socket, from ?? "")) return lead(socket, { from, certificate });
    socket.destroy();
    onFull(from ?? "");
  });
  // The runtime gives the same socket here as when the handshake is over.
  server.on("connection", (socket) => {
    handshakes.enter(socket, socket.remoteAddress ?? "");
    socket.on("close", () => handshakes.leave(socket));
  });
  server.on("tlsClientError", (_error, socket) => void socket.destroy());

  function lead(socket: TLSSocket, connection: FrontedConnection): void {
    const path = join(place, String(count++));
    const behind = openBehind(path, connection, () => connections.used(socket));
    open.set(socket, behind);
    const gone = new AbortController();
    const link = connect(path);
    link.once("connect", () => rmSync(path, { force: true }));
    link.on("error", () => {});
    link.on("close", () => {
      socket.end();
      void pause(lingerMs, gone.signal).then(() => socket.destroy());
    });
    socket.on("close", () => {
      gone.abort();
      open.delete(socket);
      connections.leave(socket);
      link.destroy();
      rmSync(path, { force: true });
      void behind.stop(true);
    });
    socket.pipe(link);
    link.pipe(socket);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen.port ?? 0, listen.hostname ?? "127.0.0.1", resolve);
  }).catch((error: unknown) => {
    rmSync(place, { recursive: true, force: true });
    throw error;
  });
  const address = server.address();

  return {
    port: typeof address === "object" ? address?.port : undefined,
    get pendingRequests() {
      return [...open.values()].reduce((sum, { pendingRequests }) => sum + pendingRequests, 0);
    },
    renew(next) {
      const context = contextOf(next);
      // Whether it can be used is told here, before anything has changed.
      createSecureContext(context);
      server.setSecureContext(context);
      needsOne = next.clientOptional !== true;
    },
    async stop(now = false) {
      closed ??= new Promise((resolve) => server.close(() => resolve()));
      handshakes.cutAll();
      if (now) connections.cutAll();
      else for (const behind of open.values()) void behind.stop();
      await closed;
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Those of other authorities are looked at, too: a caller that shows one that does not count is told so by the end. */
const asks = { requestCert: true, rejectUnauthorized: false } as const;

function contextOf({ cert, key, clientCa }: TlsIdentity) {
  return { cert, key, ca: clientCa };
}

/** "refused": one of another authority, or one that is not in force. */
function shownBy(socket: TLSSocket): ShownCertificate | "refused" | undefined {
  const { fingerprint256, valid_to } = socket.getPeerCertificate() ?? {};
  if (fingerprint256 === undefined) return undefined;
  const endsAt = Date.parse(valid_to ?? "");
  // A session that is taken up again was judged when it began.
  if (!socket.authorized || !(endsAt > Date.now())) return "refused";
  return { fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(), endsAt };
}
