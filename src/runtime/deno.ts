/** What is different on Deno: its APIs in use, child processes, the HTTP server. */
import { once } from "node:events";
import process from "node:process";
import { ServiceError } from "../base/errors.ts";
import { childProcess } from "../base/lazy-modules.ts";
import type { IdleLimit, Listener, ServeOptions } from "./net/listener.ts";
import { type Child, usageOf } from "./usage.ts";

interface DenoServer {
  readonly addr: { readonly port?: number };
  shutdown(): Promise<void>;
}

interface DenoInfo {
  readonly remoteAddr: { readonly hostname?: string };
  /** Resolves once the response has been sent; rejects if the caller disconnected. */
  readonly completed: Promise<void>;
}

interface DenoListen {
  readonly hostname?: string;
  readonly port?: number;
  readonly path?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly signal: AbortSignal;
  readonly reusePort?: boolean;
  onListen(): void;
}

interface DenoApi {
  serve(
    options: DenoListen,
    handler: (request: Request, info: DenoInfo) => Response | Promise<Response>,
  ): DenoServer;
  readonly errors: { readonly AddrInUse: ErrorConstructor };
}

declare const Deno: DenoApi | undefined;

/** Undefined on Bun. */
export const deno: DenoApi | undefined = typeof Deno === "undefined" ? undefined : Deno;

/** Location of Deno's compile cache: without it, each child would compile the program again. */
const cacheNames = ["DENO_DIR", "XDG_CACHE_HOME", "HOME"];

/** Started as in Node, with JSON messages. */
export function forkDenoChild<In, Out>(
  script: string | undefined,
  args: readonly string[],
  asService: boolean,
): Child<In, Out> {
  const output = asService ? "ignore" : "inherit";
  const child = childProcess().fork(script ?? "", [...args], {
    stdio: ["ignore", output, output, "ipc"],
    // Else nothing more of the parent's environment, which may hold the master key.
    env: asService ? process.env : Object.fromEntries(cacheNames.map((name) => [name, process.env[name]])),
    serialization: "json",
  });
  // Sending to a child that has exited fails; its exit is reported separately.
  child.on("error", () => {});
  const exited = once(child, "exit").then(([code]: (number | null)[]) => code ?? null);
  return {
    pid: child.pid ?? 0,
    post(message) {
      if (child.connected) child.send(plain(message));
    },
    onMessage: (listener) => void child.on("message", (message) => listener(message as In)),
    kill: () => void child.kill("SIGKILL"),
    exited,
    usage: () => usageOf(child.pid ?? 0),
  };
}

/** Removes the shared lease clock, which other processes cannot access. */
function plain(message: unknown): object {
  return JSON.parse(
    JSON.stringify(message, (_name, value) => (value instanceof SharedArrayBuffer ? undefined : value)),
  );
}

const noLimit: IdleLimit = { extendTimeout() {}, restoreTimeout() {} };

/**
 * It has no idle timeout and does not request client certificates.
 * @throws Error with the system's error code; ServiceError Unavailable for options that Deno does not support
 */
export function serveOnDeno(runtime: DenoApi, options: ServeOptions): Listener {
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
