/** HTTP API client: unwraps the envelope, converts errors, and retries while the service restarts. */
import * as v from "valibot";
import { ServiceError } from "../../base/errors.ts";
import { parseExact, stringifyExact } from "../../base/json/exact-json.ts";
import { createDeadline, pause } from "../../base/time/deadline.ts";
import type { Server } from "./server.ts";

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Query;
  readonly body?: object;
  /** Sent verbatim in place of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Keeps the types of numbers and the order of keys in the answer: it holds variables. */
  readonly exact?: boolean;
  /** Retries a server that does not answer until the waiting time is over. */
  readonly patient?: boolean;
  /** Aborts the call and its retries. */
  readonly signal?: AbortSignal;
}

export interface Page<T> {
  readonly data: T;
  /** Cursor of the next page; absent on the last page. */
  readonly cursor?: string;
  /** Warnings in the envelope. */
  readonly warnings?: readonly string[];
}

export interface Api {
  readonly url: string;
  /** @throws ServiceError Unavailable, Forbidden, NotFound, Validation, …, depending on the response */
  call<S extends v.GenericSchema>(path: string, schema: S, call?: Call): Promise<v.InferOutput<S>>;
  page<S extends v.GenericSchema>(path: string, schema: S, call?: Call): Promise<Page<v.InferOutput<S>>>;
  /** A response without an envelope. */
  document<S extends v.GenericSchema>(path: string, schema: S): Promise<v.InferOutput<S>>;
  /** The response, whatever its status. @throws ServiceError Unavailable */
  raw(path: string, call: Call): Promise<Response>;
  /** A response that is streamed. */
  stream(path: string, call?: Call, signal?: AbortSignal): Promise<Response>;
}

export interface ApiOptions {
  readonly server: Server;
  /** How long a patient call retries. */
  readonly waitMs: number;
  /** Called when waiting begins, and when it succeeded. */
  onWaiting?(why: string): void;
  onBack?(): void;
}

const callMs = 120_000;
const firstPauseMs = 100;
const maxPauseMs = 2_000;

const warnings = v.optional(v.array(v.string()));
const envelope = v.object({ code: v.number(), message: v.string(), data: v.unknown(), warnings });
const issues = v.array(v.object({ path: v.string(), message: v.string() }));
const unreadable = "The server's response is not one of Patchbay. Check the address.";

export function createApi(options: ApiOptions): Api {
  const { server, waitMs } = options;

  async function send(path: string, call: Call, signal: AbortSignal): Promise<Response> {
    const { method = "GET", body, text, headers = {} } = call;
    const sent = text ?? (body === undefined ? undefined : stringifyExact(body));
    try {
      return await fetch(server.url + path + queryOf(call.query), {
        method,
        headers: {
          "X-API-KEY": server.key.reveal(),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...(text === undefined ? {} : { "Content-Type": "text/plain; charset=utf-8" }),
          ...headers,
        },
        body: sent,
        // The service may close an idle connection the moment it is used again: only a GET is then sent once more.
        keepalive: method === "GET",
        // Never sends the key to a redirect target.
        redirect: "manual",
        signal,
        unix: server.unix,
        tls: {
          rejectUnauthorized: !server.insecure,
          ca: server.ca,
        },
      });
    } catch (error) {
      call.signal?.throwIfAborted();
      throw unreachable(server, error);
    }
  }

  /** A single try; throws if the response is not a success. */
  async function attempt(path: string, call: Call, signal: AbortSignal): Promise<Response> {
    const response = await send(path, call, signal);
    if (response.status >= 200 && response.status < 300) return response;
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new ServiceError(
        "BadRequest",
        `${server.url} redirects elsewhere. Use the address it redirects to.`,
      );
    }
    throw await refusalOf(response);
  }

  async function patiently<T>(call: Call, work: () => Promise<T>): Promise<T> {
    const until = performance.now() + waitMs;
    let pauseMs = firstPauseMs;
    let waited = false;
    for (;;) {
      try {
        const value = await work();
        if (waited) options.onBack?.();
        return value;
      } catch (error) {
        if (call.patient !== true || !mayPass(error) || performance.now() > until) throw error;
        if (!waited) options.onWaiting?.(error.message);
        waited = true;
        const retryAfter = error.detail?.retryAfter ?? 0;
        await pause(Math.max(pauseMs, retryAfter * 1_000), call.signal);
        call.signal?.throwIfAborted();
        pauseMs = Math.min(maxPauseMs, pauseMs * 2);
      }
    }
  }

  async function page<S extends v.GenericSchema>(path: string, schema: S, call: Call = {}) {
    return patiently(call, async () => {
      const deadline = createDeadline(
        callMs,
        () => new ServiceError("Unavailable", `${server.url} is silent.`),
      );
      try {
        const signals = [deadline.signal, ...(call.signal ? [call.signal] : [])];
        const response = await attempt(path, call, AbortSignal.any(signals));
        const { code, message, data, warnings } = await readEnvelope(response, call.exact === true);
        if (code !== 200) throw new ServiceError("BusinessFailure", message);
        const cursor = response.headers.get("X-Next-Cursor");
        return { data: checked(schema, data), warnings, ...(cursor === null ? {} : { cursor }) };
      } finally {
        deadline.dispose();
      }
    });
  }

  async function document<S extends v.GenericSchema>(path: string, schema: S) {
    const deadline = createDeadline(
      callMs,
      () => new ServiceError("Unavailable", `${server.url} is silent.`),
    );
    try {
      return checked(schema, await (await attempt(path, {}, deadline.signal)).json());
    } finally {
      deadline.dispose();
    }
  }

  return {
    document,
    url: server.unix === undefined ? server.url : `unix:${server.unix}`,
    page,
    call: async (path, schema, call) => (await page(path, schema, call)).data,
    raw: (path, call) => send(path, call, call.signal ?? new AbortController().signal),
    stream: (path, call = {}, signal = new AbortController().signal) =>
      patiently(call, () => attempt(path, call, signal)),
  };
}

function queryOf(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  return parameters.size === 0 ? "" : `?${parameters}`;
}

async function readEnvelope(response: Response, exact: boolean): Promise<v.InferOutput<typeof envelope>> {
  let value: unknown;
  try {
    value = exact ? parseExact(await response.text()) : await response.json();
  } catch (error) {
    // The connection broke, as in a restart: retried if the call allows it.
    throw new ServiceError("Unavailable", `The response could not be read: ${messageOf(error)}.`);
  }
  const read = v.safeParse(envelope, value);
  if (!read.success) throw new ServiceError("BadRequest", unreadable);
  return read.output;
}

function checked<S extends v.GenericSchema>(schema: S, data: unknown): v.InferOutput<S> {
  const read = v.safeParse(schema, data);
  if (read.success) return read.output;
  const where = v.getDotPath(read.issues[0]) ?? "data";
  throw new ServiceError("BadRequest", `${unreadable} (${where}: ${read.issues[0].message})`);
}

const kinds = {
  400: "BadRequest",
  403: "Forbidden",
  404: "NotFound",
  409: "InUse",
  412: "PreconditionFailed",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  422: "Validation",
  429: "TooManyRequests",
  502: "Unavailable",
  503: "Unavailable",
  504: "Unavailable",
  507: "StorageFull",
} as const;

async function refusalOf(response: Response): Promise<ServiceError> {
  const after = Number(response.headers.get("Retry-After") ?? Number.NaN);
  const retryAfter = Number.isFinite(after) ? { retryAfter: after } : {};
  const kind = kindOf(response.status, response.headers.has("Retry-After"));
  const read = v.safeParse(envelope, await response.json().catch(() => undefined));
  if (!read.success)
    return new ServiceError(kind, `${unreadable} (HTTP ${response.status})`, { ...retryAfter });
  const { message, data } = read.output;
  const parsed = v.safeParse(issues, data);
  const faults = parsed.success ? { issues: parsed.output } : {};
  return new ServiceError(kind, withDetails(message, data), { ...retryAfter, ...faults });
}

function kindOf(status: number, isTold: boolean) {
  // The first request is still in progress and will end.
  if (status === 409 && isTold) return "InProgress";
  const entry = Object.entries(kinds).find(([code]) => Number(code) === status);
  return entry?.[1] ?? "Internal";
}

/** Adds the invalid fields to the message. */
function withDetails(message: string, data: unknown): string {
  const parsed = v.safeParse(issues, data);
  if (parsed.success && parsed.output.length > 0)
    return parsed.output
      .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
      .join("\n");
  const hosts = v.safeParse(v.object({ hosts: v.array(v.string()) }), data);
  return hosts.success ? `${message}\n${hosts.output.hosts.join(", ")}` : message;
}

function mayPass(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    (error.kind === "Unavailable" || error.kind === "TooManyRequests" || error.kind === "InProgress")
  );
}

const noCertificate = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|certificate/i;

function unreachable(server: Server, error: unknown): ServiceError {
  const name = server.unix === undefined ? server.url : `unix:${server.unix}`;
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  if (noCertificate.test(code) || noCertificate.test(messageOf(error))) {
    const text = `${name}: its certificate was not accepted (${code || messageOf(error)}). Use --ca-file to name the authority that signed it.`;
    return new ServiceError("Forbidden", text);
  }
  // Bun appends a question about the machine to some of its messages.
  const reason = messageOf(error).replace(/\s*Is the computer able to access the url\?$/, "");
  return new ServiceError("Unavailable", `${name} cannot be reached: ${reason}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}
