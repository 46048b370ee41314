/**
 * HTTPS with client certificates, known per connection. The runtime's HTTP server requests them but does not expose
 * them; `node:tls` does. So TLS is terminated here, and the plaintext of each connection is piped to an HTTP server of
 * its own, on a socket in a private folder whose name is removed once connected. The server that a request arrives at
 * determines its certificate, so nothing a caller sends can change it.
 */
import { X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createSecureContext, createServer, type TLSSocket } from "node:tls";
import { ServiceError } from "../../base/errors.ts";
import { pause } from "../../base/time/deadline.ts";
import { createConnectionSlots } from "./connection-slots.ts";
import type { ConnectionLimits, Listen, Listener, ShownCertificate, TlsIdentity } from "./listener.ts";
import { terminatorPrefix } from "./socket.ts";

/** Facts of one connection, shared by all its requests. */
export interface TerminatedConnection {
  readonly from: string | null;
  readonly certificate: ShownCertificate | undefined;
}

interface FrontOptions {
  readonly listen: Listen;
  readonly tls: TlsIdentity;
  /** Folder of the sockets. */
  readonly folder: string;
  /** For connections, and separately for ongoing handshakes. */
  readonly limits: ConnectionLimits;
  /** A connection was closed to stay within the limits. */
  onFull(from: string): void;
  /**
   * Opens the HTTP server behind one connection.
   * @param admits called for each request; false: it must not be answered, and its connection is closed.
   */
  openBehind(path: string, connection: TerminatedConnection, admits: () => boolean): Listener;
}

interface Opened {
  readonly behind: Listener;
  readonly certificate: ShownCertificate | undefined;
  /** Aborted when the connection is closed. */
  readonly gone: AbortSignal;
}

export interface TlsTerminator extends Listener {
  /** @throws Error it is unusable, and the previous one stays in use */
  renew(tls: TlsIdentity): void;
}

const handshakeMs = 10_000;
/** Timeout for a caller that does not read the end of its response. */
const lingerMs = 10_000;
/** Time for pending responses to a certificate whose CA is no longer trusted, as for streams of a revoked key. */
const withdrawnMs = 15_000;
/** Maximum length of a socket path. */
const maxSocketPathLength = 100;

/** @throws the error of the system: the address is in use */
export async function openTlsTerminator(options: FrontOptions): Promise<TlsTerminator> {
  const { listen, tls, folder, limits, onFull, openBehind } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = mkdtempSync(join(folder, terminatorPrefix));
  if (place.length > maxSocketPathLength) {
    rmSync(place, { recursive: true, force: true });
    const text = `${folder} is too long a name for the sockets of client certificates: shorten the data directory's.`;
    throw new ServiceError("Unavailable", text);
  }
  const open = new Map<TLSSocket, Opened>();
  const isOwed = (socket: TLSSocket) => (open.get(socket)?.behind.pendingRequests ?? 0) > 0;
  /** Connections whose certificate is no longer trusted. */
  const withdrawn = new WeakSet<TLSSocket>();
  const cut = (socket: Socket) => void socket.destroy();
  const connections = createConnectionSlots({ limits, isInUse: isOwed, cut });
  // A handshake takes a moment, and times out after ten seconds: the oldest is evicted.
  const handshakes = createConnectionSlots<Socket>({ limits, isInUse: () => false, cut });
  let needsOne = tls.clientOptional !== true;
  let trusted = tls.clientCa;
  let count = 0;
  let closed: Promise<void> | undefined;

  const server = createServer({ ...contextOf(tls), ...asks, handshakeTimeout: handshakeMs }, (socket) => {
    // Followed by `close`.
    socket.on("error", () => {});
    handshakes.leave(socket);
    const certificate = shownBy(socket);
    if (certificate === "refused" || (certificate === undefined && needsOne)) return void socket.destroy();
    const from = socket.remoteAddress ?? null;
    if (connections.enter(socket, from ?? "")) return lead(socket, { from, certificate });
    socket.destroy();
    onFull(from ?? "");
  });
  // The runtime passes the same socket object here as after the handshake.
  server.on("connection", (socket) => {
    handshakes.enter(socket, socket.remoteAddress ?? "");
    socket.on("close", () => handshakes.leave(socket));
  });
  server.on("tlsClientError", (_error, socket) => void socket.destroy());

  function lead(socket: TLSSocket, connection: TerminatedConnection): void {
    const path = join(place, String(count++));
    const gone = new AbortController();
    const behind = openBehind(path, connection, () => {
      connections.used(socket);
      if (withdrawn.has(socket)) socket.destroy();
      return !withdrawn.has(socket);
    });
    open.set(socket, { behind, certificate: connection.certificate, gone: gone.signal });
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

  /** Responses that are pending are sent; nothing else is answered. */
  function withdraw(socket: TLSSocket, { gone }: Opened): void {
    withdrawn.add(socket);
    if (isOwed(socket)) void pause(withdrawnMs, gone).then(() => socket.destroy());
    else socket.destroy();
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
      return [...open.values()].reduce((sum, { behind }) => sum + behind.pendingRequests, 0);
    },
    renew(next) {
      const context = contextOf(next);
      // Both throw if it is unusable, before anything has changed.
      createSecureContext(context);
      const authorities = certificatesIn(next.clientCa ?? "");
      server.setSecureContext(context);
      needsOne = next.clientOptional !== true;
      if (next.clientCa === trusted) return;
      trusted = next.clientCa;
      for (const [socket, opened] of open) {
        const { certificate } = opened;
        if (certificate !== undefined && !isIssued(certificate.raw, authorities)) withdraw(socket, opened);
      }
    },
    async stop(now = false) {
      closed ??= new Promise((resolve) => server.close(() => resolve()));
      handshakes.cutAll();
      if (now) connections.cutAll();
      else for (const { behind } of open.values()) void behind.stop();
      await closed;
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Certificates of other CAs are requested too: the caller is then rejected explicitly, by closing the connection. */
const asks = { requestCert: true, rejectUnauthorized: false } as const;

function contextOf({ cert, key, clientCa }: TlsIdentity) {
  return { cert, key, ca: clientCa };
}

/** "refused": issued by another CA, or not valid now. */
function shownBy(socket: TLSSocket): ShownCertificate | "refused" | undefined {
  const { fingerprint256, valid_to, raw } = socket.getPeerCertificate() ?? {};
  if (fingerprint256 === undefined) return undefined;
  if (raw === undefined) return "refused";
  const endsAt = Date.parse(valid_to ?? "");
  // A resumed TLS session was checked when it began.
  if (!socket.authorized || !(endsAt > Date.now())) return "refused";
  return { fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(), endsAt, raw };
}

function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

/** Intermediate certificates are not kept: who has some connects again, and they are then sent. */
function isIssued(raw: Buffer, authorities: readonly X509Certificate[]): boolean {
  const shown = new X509Certificate(raw);
  return authorities.some((one) => shown.checkIssued(one) && shown.verify(one.publicKey));
}
