/** The Deno APIs in use; undefined on Bun. */

export interface DenoServer {
  readonly addr: { readonly port?: number };
  readonly finished: Promise<void>;
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

export const deno: DenoApi | undefined = typeof Deno === "undefined" ? undefined : Deno;
