/**
 * HTTP for plugins: single requests, or a session with kept connections. Both are subject to the operator's URL policy.
 */
import type { Context } from "./kit.ts";

export interface HttpKit {
  /**
   * Resolves the name once, checks the address against the operator's policy, and connects to that address. Returns the
   * response whatever its status is.
   * @throws PluginError ConnectionRefused, HostUnreachable, ConnectionTimeout, ConnectionLost, OutputTooLarge
   */
  request(url: string, request: HttpRequest, ctx: Context): Promise<HttpAnswer>;
  /** Sends requests to one base URL over kept connections; `close` closes them. */
  session(options: HttpSessionOptions, ctx: Context): Promise<HttpSession>;
}

export interface HttpRequest {
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Appended to the URL as query parameters. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Until the whole response has arrived; default 30 s. The deadline of the task always applies. */
  readonly timeoutMs?: number;
  /** Redirects to follow, each checked against the policy; default 0 returns the 3xx response. */
  readonly redirects?: number;
  /** Maximum size of the response; default 8 MiB. */
  readonly maxBytes?: number;
  readonly tls?: TlsOptions;
}

/** TLS options. Default: the certificate must be valid for the host according to the system's CAs. */
export interface TlsOptions {
  /** CA certificates in PEM form, instead of the system's. */
  readonly ca?: string;
  /** Client certificate and key in PEM form. */
  readonly cert?: string;
  readonly key?: string;
  /** Name that the certificate is checked against. */
  readonly serverName?: string;
  /** False accepts any certificate: for devices with self-signed ones. */
  readonly verify?: boolean;
  readonly minVersion?: "TLSv1" | "TLSv1.1" | "TLSv1.2" | "TLSv1.3";
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Read it to the end or leave the loop; either closes it. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface HttpSessionOptions extends Omit<HttpRequest, "method" | "body" | "query"> {
  /** Base URL such as `https://192.0.2.1:8443/restconf`; request paths are appended to it. */
  readonly base: string;
}

type OfSession = Omit<HttpRequest, "method" | "tls">;

export interface HttpSession {
  /** Returns the response whatever its status is. */
  request(method: string, path: string, request: OfSession, ctx: Context): Promise<HttpAnswer>;
  /** Like `request`, but streams the body; `maxBytes` and `timeoutMs` apply to the whole body. */
  stream(method: string, path: string, request: OfSession, ctx: Context): Promise<HttpStream>;
  /**
   * This method and those below accept only 2xx.
   * @throws PluginError AuthenticationFailed for 401 and 403, CommandError for other 3xx and 4xx, DriverError for 5xx
   */
  getJson(path: string, query: HttpRequest["query"], ctx: Context): Promise<unknown>;
  get(path: string, query: HttpRequest["query"], ctx: Context): Promise<string>;
  post(path: string, body: string | object, ctx: Context): Promise<string>;
  put(path: string, body: string | object, ctx: Context): Promise<string>;
  patch(path: string, body: string | object, ctx: Context): Promise<string>;
  delete(path: string, ctx: Context): Promise<string>;
  close(): Promise<void>;
}
