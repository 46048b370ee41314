/** HTTP as plugins see it: one request, or a session that keeps its connections; both behind the operator's guard. */
import type { Context } from "./kit.ts";

export interface HttpKit {
  /**
   * Resolves the name once, checks the address against the operator's policy, and connects to what was checked.
   * An answer of any status is an answer.
   * @throws PluginError ConnectionRefused, HostUnreachable, ConnectionTimeout, ConnectionLost, OutputTooLarge
   */
  request(url: string, request: HttpRequest, ctx: Context): Promise<HttpAnswer>;
  /** Requests to one base address over kept connections; `close` ends them. */
  session(options: HttpSessionOptions, ctx: Context): Promise<HttpSession>;
}

export interface HttpRequest {
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Added to the address. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Until the whole answer is there; default 30 s. The deadline of the task holds in any case. */
  readonly timeoutMs?: number;
  /** Redirects that are followed, each checked again; default 0 gives the 3xx answer itself. */
  readonly redirects?: number;
  /** Largest answer; default 8 MiB. */
  readonly maxBytes?: number;
  readonly tls?: TlsOptions;
}

/** For https; default: the certificate must be valid for the host by the system's authorities. */
export interface TlsOptions {
  /** Authorities in PEM form, in place of the system's. */
  readonly ca?: string;
  /** Client certificate and key in PEM form. */
  readonly cert?: string;
  readonly key?: string;
  /** The name that the certificate must be for. */
  readonly serverName?: string;
  /** False takes any certificate: for devices with one of their own making. */
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
  /** Read it to its end, or leave the loop: either closes it. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface HttpSessionOptions extends Omit<HttpRequest, "method" | "body" | "query"> {
  /** `https://192.0.2.1:8443/restconf`; paths of requests are put behind it. */
  readonly base: string;
}

type OfSession = Omit<HttpRequest, "method" | "tls">;

export interface HttpSession {
  /** An answer of any status. */
  request(method: string, path: string, request: OfSession, ctx: Context): Promise<HttpAnswer>;
  /** The same, with the body as it comes; `maxBytes` and `timeoutMs` hold for all of it. */
  stream(method: string, path: string, request: OfSession, ctx: Context): Promise<HttpStream>;
  /**
   * The methods below take 2xx only.
   * @throws PluginError AuthenticationFailed for 401 and 403, CommandError for other refusals, DriverError for 5xx
   */
  getJson(path: string, query: HttpRequest["query"], ctx: Context): Promise<unknown>;
  get(path: string, query: HttpRequest["query"], ctx: Context): Promise<string>;
  post(path: string, body: string | object, ctx: Context): Promise<string>;
  put(path: string, body: string | object, ctx: Context): Promise<string>;
  patch(path: string, body: string | object, ctx: Context): Promise<string>;
  delete(path: string, ctx: Context): Promise<string>;
  close(): Promise<void>;
}
