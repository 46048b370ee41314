/** HTTP server of the runtime: TCP or a Unix socket with one owner, time limits, and an orderly stop. */
import { pause } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import { moveStaleSocket } from "./socket.ts";

export interface Listen {
  readonly hostname?: string;
  readonly port?: number;
  readonly unix?: string;
}

export interface ServeOptions {
  readonly listen: Listen;
  /** What the runtime refuses by itself, without the envelope. */
  readonly maxBodyBytes: number;
  fetch(request: Request, from: string | null, limit: IdleLimit): Response | Promise<Response>;
}

/** How long the connection of a request may be idle. */
export interface IdleLimit {
  /** For ever: its answer takes its time. */
  extendTimeout(): void;
  /** As any other: its answer is there, and wants to be read. */
  restoreTimeout(): void;
}

const idleS = 10;

export interface HttpServer {
  readonly url: string;
  /** Refuses new connections, waits for running requests up to `graceMs`, then cuts them. */
  stop(graceMs: number): Promise<void>;
}

/** @throws ServiceError Unavailable with a text for the operator: the address is in use, or not ours to listen on. */
export async function serve(options: ServeOptions): Promise<HttpServer> {
  const { listen } = options;
  const address = listen.unix
    ? `unix:${listen.unix}`
    : `${urlHost(listen.hostname ?? "127.0.0.1")}:${listen.port ?? 0}`;
  if (listen.unix && !(await moveStaleSocket(listen.unix))) throw refused(address, { code: "EADDRINUSE" });
  const server = start(options, address);
  return {
    url: listen.unix
      ? `unix:${listen.unix}`
      : `http://${urlHost(listen.hostname ?? "127.0.0.1")}:${server.port}`,
    async stop(graceMs) {
      // Resolves only when idle connections are gone, too: what counts are the answers that are owed.
      void server.stop();
      const until = performance.now() + graceMs;
      while (server.pendingRequests > 0 && performance.now() < until) await pause(10);
      await server.stop(true);
    },
  };
}

function start(options: ServeOptions, address: string) {
  const { listen } = options;
  try {
    return listen.unix
      ? Bun.serve({
          unix: listen.unix,
          maxRequestBodySize: options.maxBodyBytes,
          // Its error page shows source and folders.
          development: false,
          fetch: (request, self) => options.fetch(request, null, idleLimit(request, self)),
        })
      : Bun.serve({
          // Closes idle and trickling connections; slow answers ask for more with `extendTimeout`.
          idleTimeout: idleS,
          maxRequestBodySize: options.maxBodyBytes,
          // Its error page shows source and folders.
          development: false,
          // Without it `development: false` shares the port with any other process that asks for it.
          reusePort: false,
          hostname: listen.hostname ?? "127.0.0.1",
          port: listen.port ?? 0,
          fetch: (request, self) =>
            options.fetch(request, self.requestIP(request)?.address ?? null, idleLimit(request, self)),
        });
  } catch (error) {
    throw refused(address, error);
  }
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
    "another process listens there. Stop it, or give this service another address (PATCHBAY_LISTEN)",
  EADDRNOTAVAIL: "this machine does not have that address. Give one that it has (PATCHBAY_LISTEN)",
  EACCES:
    "this account may not listen there. Ports below 1024 need a privilege; give another one (PATCHBAY_LISTEN)",
  ENOENT: "its folder does not exist. Make it, or give another path (PATCHBAY_LISTEN)",
  ENAMETOOLONG: "the path is too long for a socket. Give a shorter one (PATCHBAY_LISTEN)",
};

function refused(address: string, cause: unknown): ServiceError {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
  const why = reasons[code] ?? (cause instanceof Error ? cause.message : code);
  return new ServiceError("Unavailable", `The service can not listen on ${address}: ${why}.`, undefined, {
    cause,
  });
}

function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
