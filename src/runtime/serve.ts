/** HTTP server of the runtime: TCP or a Unix socket, time limits, and an orderly stop. */
import { pause } from "../base/deadline.ts";

export interface Listen {
  readonly hostname?: string;
  readonly port?: number;
  readonly unix?: string;
}

export interface ServeOptions {
  readonly listen: Listen;
  /** What the runtime refuses by itself, without the envelope. */
  readonly maxBodyBytes: number;
  fetch(request: Request, from: string | null, extendTimeout: () => void): Response | Promise<Response>;
}

export interface Served {
  readonly url: string;
  /** Refuses new connections, waits for running requests up to `graceMs`, then cuts them. */
  stop(graceMs: number): Promise<void>;
}

export function serve(options: ServeOptions): Served {
  const { listen } = options;
  const server = listen.unix
    ? Bun.serve({
        unix: listen.unix,
        maxRequestBodySize: options.maxBodyBytes,
        // Its error page shows source and folders.
        development: false,
        fetch: (request, self) => options.fetch(request, null, () => self.timeout(request, 0)),
      })
    : Bun.serve({
        // Closes idle and trickling connections; slow answers ask for more with `extendTimeout`.
        idleTimeout: 10,
        maxRequestBodySize: options.maxBodyBytes,
        // Its error page shows source and folders.
        development: false,
        hostname: listen.hostname ?? "127.0.0.1",
        port: listen.port ?? 0,
        fetch: (request, self) =>
          options.fetch(request, self.requestIP(request)?.address ?? null, () => self.timeout(request, 0)),
      });
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

function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
