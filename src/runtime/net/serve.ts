/** HTTP server of the runtime: TCP or a Unix socket with a single owner, timeouts, and graceful shutdown. */

import { ServiceError } from "../../base/errors.ts";
import { pause } from "../../base/time/deadline.ts";
import { deno, serveOnDeno } from "../deno.ts";
import type {
  Connection,
  ConnectionLimits,
  IdleLimit,
  Listen,
  Listener,
  ServeOptions,
  TlsIdentity,
} from "./listener.ts";
import { moveStaleSocket, removeTerminatorSockets, withMode } from "./socket.ts";
import type { TerminatedConnection, TlsTerminator } from "./tls-terminator.ts";

export type { ConnectionLimits, Listen, ServeOptions, TlsIdentity };

const idleS = 10;
/** Limits if the service terminates TLS; each connection takes four descriptors, and one more during setup. */
export const maxConnections: ConnectionLimits = { inAll: 1_000, perAddress: 500 };
export const descriptorsPerConnection = 5;

export interface HttpServer {
  readonly url: string;
  /**
   * Uses this certificate for new connections; open ones are kept.
   * @throws ServiceError Unavailable: it is unusable, and the previous one stays in use
   */
  renew(tls: TlsIdentity): void;
  /** Refuses new connections, waits for running requests up to `graceMs`, then closes them. */
  stop(graceMs: number): Promise<void>;
}

/** @throws ServiceError Unavailable with a text for the operator: the address is in use, or we may not listen on it. */
export async function serve(options: ServeOptions): Promise<HttpServer> {
  const { listen } = options;
  const address = listen.unix
    ? `unix:${listen.unix}`
    : `${urlHost(listen.hostname ?? "127.0.0.1")}:${listen.port ?? 0}`;
  if (listen.unix && !(await moveStaleSocket(listen.unix))) throw refused(address, { code: "EADDRINUSE" });
  if (options.privateFolder !== undefined) removeTerminatorSockets(options.privateFolder);
  const front = await openFront(options, address);
  let server: Listener = front ?? start(options, address);
  let shown = options.tls;
  const { port } = server;
  /** Servers from before a renewal that still have requests to answer. */
  const former = new Set<typeof server>();
  const scheme = options.tls === undefined ? "http" : "https";
  return {
    url: listen.unix
      ? `unix:${listen.unix}`
      : `${scheme}://${urlHost(listen.hostname ?? "127.0.0.1")}:${port}`,
    renew(tls) {
      // On Deno a listener occupies its address as long as connections are open.
      if (deno !== undefined)
        throw new ServiceError("Unavailable", "On Deno a renewed certificate is used after a restart.");
      if (front !== undefined) return front.renew(tls);
      const before = server;
      former.add(before);
      const again = { ...options, listen: { ...listen, ...(port === undefined ? {} : { port }) } };
      // The runtime cannot change the certificate of a listener, so a new one is opened in the same turn.
      void before.stop().then(() => former.delete(before));
      try {
        server = start({ ...again, tls }, address);
        shown = tls;
      } catch (error) {
        server = start({ ...again, tls: shown }, address);
        throw error;
      }
    },
    async stop(graceMs) {
      const all = [server, ...former];
      // `stop` resolves only once idle connections are closed too; only pending responses matter.
      for (const one of all) void one.stop();
      const until = performance.now() + graceMs;
      const owed = () => all.some((one) => one.pendingRequests > 0);
      while (owed() && performance.now() < until) await pause(10);
      await Promise.all(all.map((one) => one.stop(true)));
    },
  };
}

/** Used if client certificates are requested. */
async function openFront(options: ServeOptions, address: string): Promise<TlsTerminator | undefined> {
  const { listen, tls, privateFolder } = options;
  if (tls?.clientCa === undefined || privateFolder === undefined || deno !== undefined) return undefined;
  const { openTlsTerminator: open } = await import("./tls-terminator.ts");
  try {
    return await open({
      listen,
      tls,
      folder: privateFolder,
      limits: options.connections ?? maxConnections,
      onFull: (from) => options.onFull?.(from),
      openBehind: (path, connection, admits) => openBehind(path, connection, options, admits),
    });
  } catch (error) {
    throw error instanceof ServiceError ? error : refused(address, error);
  }
}

/** The server behind one connection whose TLS has been terminated. */
function openBehind(
  unix: string,
  { from, certificate }: TerminatedConnection,
  options: ServeOptions,
  admits: () => boolean,
): Listener {
  return withMode({ unix }, () =>
    Bun.serve({
      unix,
      maxRequestBodySize: options.maxBodyBytes,
      development: false,
      fetch(request, self) {
        if (!admits()) return new Response(null, { status: 403, headers: { Connection: "close" } });
        const inForce = certificate !== undefined && certificate.endsAt > Date.now();
        const connection: Connection = {
          ...idleLimit(request, self),
          secure: true,
          certificate: inForce ? certificate.fingerprint : undefined,
        };
        return options.fetch(request, from, connection);
      },
    }),
  );
}

function start(options: ServeOptions, address: string): Listener {
  try {
    return withMode(options.listen, () => open(options));
  } catch (error) {
    throw error instanceof ServiceError ? error : refused(address, error);
  }
}

function open(options: ServeOptions): Listener {
  const { listen } = options;
  if (deno !== undefined) return serveOnDeno(deno, options);
  return listen.unix
    ? Bun.serve({
        unix: listen.unix,
        maxRequestBodySize: options.maxBodyBytes,
        // Its error page reveals source and paths.
        development: false,
        fetch: (request, self) => options.fetch(request, null, idleLimit(request, self)),
      })
    : Bun.serve({
        // Closes idle and slow connections; slow answers call `extendTimeout`.
        idleTimeout: idleS,
        maxRequestBodySize: options.maxBodyBytes,
        // Its error page reveals source and paths.
        development: false,
        // Otherwise `development: false` shares the port with any other process that requests it.
        reusePort: false,
        hostname: listen.hostname ?? "127.0.0.1",
        port: listen.port ?? 0,
        ...(options.tls === undefined ? {} : { tls: tlsOptions(options.tls) }),
        fetch: (request, self) =>
          options.fetch(request, self.requestIP(request)?.address ?? null, idleLimit(request, self)),
      });
}

function tlsOptions({ cert, key, clientCa }: TlsIdentity) {
  const clients = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true };
  return { cert, key, ...clients };
}

function idleLimit(
  request: Request,
  server: { timeout(request: Request, seconds: number): void },
): IdleLimit {
  return {
    extendTimeout: () => server.timeout(request, 0),
    restoreTimeout: () => server.timeout(request, idleS),
  };
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "another process listens there. Stop it, or use another address for this service (PATCHBAY_LISTEN)",
  EADDRNOTAVAIL: "this machine does not have that address. Use one that it has (PATCHBAY_LISTEN)",
  EACCES:
    "this account may not listen there. Ports below 1024 need a privilege; use another one (PATCHBAY_LISTEN)",
  EPERM:
    "this account may not give the socket to that group. Make it a member, or use another one (PATCHBAY_SOCKET_GROUP)",
  ENOENT: "its folder does not exist. Create it, or use another path (PATCHBAY_LISTEN)",
  ENAMETOOLONG: "the path is too long for a socket. Use a shorter one (PATCHBAY_LISTEN)",
};

function refused(address: string, cause: unknown): ServiceError {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
  const why = reasons[code] ?? (cause instanceof Error ? cause.message : code);
  return new ServiceError("Unavailable", `The service cannot listen on ${address}: ${why}.`, undefined, {
    cause,
  });
}

function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
