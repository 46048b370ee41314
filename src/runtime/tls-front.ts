/**
 * HTTPS that asks callers for certificates and knows which one each connection showed. The runtime's HTTP server asks
 * for them but gives them to nobody; `node:tls` does. So TLS ends here, and what comes out of a connection goes unread
 * to an HTTP server of its own, on a socket below a folder that nobody else may enter, whose name goes once it is
 * connected. Which certificate a request has follows from the server that it came to: a caller can write nothing that
 * would change it.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createSecureContext, createServer, type TLSSocket } from "node:tls";
import { pause } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import type { Listen, Listener, ShownCertificate, TlsIdentity } from "./listener.ts";

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
  /** The HTTP server behind one connection. */
  openBehind(path: string, connection: FrontedConnection): Listener;
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
export async function openFront({ listen, tls, folder, openBehind }: FrontOptions): Promise<Front> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // One that was killed has left its own: nobody else keeps sockets here.
  for (const name of readdirSync(folder))
    if (name.startsWith("front-")) rmSync(join(folder, name), { recursive: true, force: true });
  const place = mkdtempSync(join(folder, "front-"));
  if (place.length > longestSocketPath) {
    rmSync(place, { recursive: true, force: true });
    const text = `${folder} is too long a name for the sockets of client certificates: shorten the data directory's.`;
    throw new ServiceError("Unavailable", text);
  }
  const open = new Map<TLSSocket, Listener>();
  let needsOne = tls.clientOptional !== true;
  let count = 0;
  let closed: Promise<void> | undefined;

  const server = createServer({ ...contextOf(tls), ...asks, handshakeTimeout: handshakeMs }, (socket) => {
    // It is told by its close.
    socket.on("error", () => {});
    const certificate = shownBy(socket);
    if (certificate === "refused" || (certificate === undefined && needsOne)) return void socket.destroy();
    lead(socket, { from: socket.remoteAddress ?? null, certificate });
  });
  server.on("tlsClientError", (_error, socket) => void socket.destroy());

  function lead(socket: TLSSocket, connection: FrontedConnection): void {
    const path = join(place, String(count++));
    const behind = openBehind(path, connection);
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
      if (now) for (const socket of open.keys()) socket.destroy();
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
