/** The HTTP server on Deno. It has no idle timeout and does not request client certificates. */
import { ServiceError } from "../../base/errors.ts";
import type { IdleLimit, Listener, ServeOptions } from "../net/listener.ts";
import type { deno as Deno } from "./deno.ts";

const noLimit: IdleLimit = { extendTimeout() {}, restoreTimeout() {} };

/** @throws Error with the system's error code; ServiceError Unavailable for options that Deno does not support */
export function serveOnDeno(runtime: NonNullable<typeof Deno>, options: ServeOptions): Listener {
  const { listen, tls } = options;
  if (tls?.clientCa !== undefined)
    throw new ServiceError(
      "Unavailable",
      "Deno does not request client certificates: unset PATCHBAY_TLS_CLIENT_CA, or run the service on Bun.",
    );
  const cut = new AbortController();
  let pendingRequests = 0;
  let closing: Promise<void> | undefined;
  const server = runtime.serve(
    {
      ...(listen.unix === undefined
        ? { hostname: listen.hostname ?? "127.0.0.1", port: listen.port ?? 0, reusePort: false }
        : { path: listen.unix }),
      ...(tls === undefined ? {} : { cert: tls.cert, key: tls.key }),
      signal: cut.signal,
      onListen() {},
    },
    async (request, { remoteAddr, completed }) => {
      pendingRequests++;
      const left = () => void pendingRequests--;
      completed.then(left, left);
      const from = listen.unix === undefined ? (remoteAddr.hostname ?? null) : null;
      return options.fetch(request, from, noLimit);
    },
  );
  return {
    port: server.addr.port,
    get pendingRequests() {
      return pendingRequests;
    },
    async stop(now = false) {
      closing ??= now ? undefined : server.shutdown();
      // A closing server cannot be aborted: what is still open ends with the process.
      if (closing === undefined) cut.abort();
      else if (!now) await closing;
    },
  };
}
