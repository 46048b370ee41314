/** `kit.http`: single requests with redirects, and sessions with kept connections. */
import * as http from "node:http";
import * as https from "node:https";
import { ServiceError } from "../../base/errors.ts";
import { createByteBuffer } from "../../base/net/byte-buffer.ts";
import { shownUrl } from "../../base/net/url.ts";
import type {
  Context,
  HttpAnswer,
  HttpKit,
  HttpRequest,
  HttpSession,
  HttpSessionOptions,
  HttpStream,
} from "../../plugin/index.ts";
import { keptConnections } from "../../runtime/net/http-agent.ts";
import type { OutputShare } from "../output-shares.ts";
import type { CheckAddress } from "./http-address.ts";
import { exchange } from "./http-exchange.ts";

export interface HttpKitOptions {
  readonly check: CheckAddress;
  /**
   * Called before a request is sent.
   * @throws ServiceError WorkerLost: the node's lease has expired
   */
  checkLease?(): void;
  /** What the current task holds in memory; undefined: nobody counts it. */
  share?(): OutputShare | undefined;
}

const socketLimit = 8;
/** Characters of an error response that are quoted. */
const toldChars = 2_000;

export function createHttpKit({
  check,
  checkLease = () => {},
  share = () => undefined,
}: HttpKitOptions): HttpKit {
  async function request(url: string, httpRequest: HttpRequest, ctx: Context): Promise<HttpAnswer> {
    const most = httpRequest.redirects ?? 0;
    const first = withQuery(parsed(url), httpRequest.query);
    let target = first;
    let headers = httpRequest.headers ?? {};
    for (let hop = 0; ; hop++) {
      const address = await check(target.hostname);
      checkLease();
      const wanted = { ...httpRequest, headers };
      const answer = await whole(
        await exchange({ url: target, address, request: wanted, agent: false, share: share() }, ctx),
      );
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status > 399 || location === undefined || most === 0) return answer;
      if (hop >= most)
        throw new ServiceError("BadRequest", `${shownUrl(first)} redirects more than ${most} times.`);
      const next = parsed(location, target);
      if (target.protocol === "https:" && next.protocol === "http:")
        throw new ServiceError("BadRequest", `${shownUrl(first)} redirects from https to http.`);
      // Credentials must not be sent to another host.
      if (next.host !== target.host) headers = withoutCredentials(headers);
      target = next;
    }
  }

  async function session(options: HttpSessionOptions): Promise<HttpSession> {
    const base = parsed(options.base);
    const address = await check(base.hostname);
    const settings = { ...keptConnections, maxSockets: socketLimit };
    const agent = base.protocol === "https:" ? new https.Agent(settings) : new http.Agent(settings);

    const send = (
      [method, path, httpRequest, ctx]: Parameters<HttpSession["stream"]>,
      counted?: OutputShare,
    ): Promise<HttpStream> => {
      checkLease();
      const { base: _base, ...defaults } = options;
      const headers = { ...defaults.headers, ...httpRequest.headers };
      const url = withQuery(below(base, path), httpRequest.query);
      return exchange(
        {
          ...{ url, address, agent, share: counted },
          request: { ...defaults, ...httpRequest, method, headers },
        },
        ctx,
      );
    };
    const stream: HttpSession["stream"] = (...given) => send(given);
    const ask: HttpSession["request"] = async (...given) => whole(await send(given, share()));
    const acceptedAnswer = async (method: string, path: string, httpRequest: HttpRequest, ctx: Context) =>
      accepted(await ask(method, path, httpRequest, ctx), method, path);
    const sending =
      (method: string) =>
      (path: string, body: string | object, ctx: Context): Promise<string> =>
        acceptedAnswer(method, path, bodyOf(body, options.headers), ctx);

    return {
      request: ask,
      stream,
      getJson: async (path, query, ctx) =>
        jsonOf(
          await acceptedAnswer(
            "GET",
            path,
            { ...queryOf(query), headers: { Accept: "application/json" } },
            ctx,
          ),
          path,
        ),
      get: (path, query, ctx) => acceptedAnswer("GET", path, queryOf(query), ctx),
      post: sending("POST"),
      put: sending("PUT"),
      patch: sending("PATCH"),
      delete: (path, ctx) => acceptedAnswer("DELETE", path, {}, ctx),
      close: async () => agent.destroy(),
    };
  }

  return { request, session };
}

async function whole({ status, headers, body }: HttpStream): Promise<HttpAnswer> {
  const pieces = createByteBuffer();
  for await (const chunk of body) pieces.add(chunk);
  return { status, headers, body: pieces.take().toString("utf8") };
}

function accepted({ status, body }: HttpAnswer, method: string, path: string): string {
  if (status >= 200 && status <= 299) return body;
  const command = `${method} ${path}`;
  const detail = { command, status, output: body.slice(0, toldChars) };
  if (status === 401 || status === 403)
    throw new ServiceError("AuthenticationFailed", `${command} was answered with ${status}.`, detail);
  if (status >= 500) throw new ServiceError("DriverError", `${command} was answered with ${status}.`, detail);
  throw new ServiceError("CommandError", `${command} was answered with ${status}.`, detail);
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError("DriverError", `${path} was answered with text that is not JSON.`, {
      output: text.slice(0, toldChars),
    });
  }
}

function bodyOf(body: string | object, headers: HttpSessionOptions["headers"] = {}): HttpRequest {
  if (typeof body === "string") return { body };
  const hasContentType = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return {
    body: JSON.stringify(body),
    ...(hasContentType ? {} : { headers: { "Content-Type": "application/json" } }),
  };
}

function queryOf(query: HttpRequest["query"]): HttpRequest {
  return query === undefined ? {} : { query };
}

function withQuery(url: URL, query: HttpRequest["query"] = {}): URL {
  const target = new URL(url);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) target.searchParams.set(name, String(value));
  return target;
}

/** A path never changes the host, whatever a caller wrote into it. */
function below(base: URL, path: string): URL {
  const url = new URL(base);
  const [name = "", ...query] = path.split("?");
  url.pathname = `${base.pathname.replace(/\/$/, "")}/${name.replace(/^\/+/, "")}`;
  if (query.length > 0) url.search = query.join("?");
  return url;
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(authorization|cookie)$/i.test(name)),
  );
}

/** @param base for a URL that may be relative: where the server redirects to */
function parsed(url: string, base?: URL): URL {
  if (!URL.canParse(url, base?.href)) {
    const what = base === undefined ? "The URL" : "The address that it redirects to";
    throw new ServiceError("BadRequest", `${what} is invalid.`, { outcome: "none" });
  }
  const target = new URL(url, base);
  if (target.protocol === "http:" || target.protocol === "https:") return target;
  throw new ServiceError("Forbidden", `The scheme ${target.protocol} is not allowed.`, { outcome: "none" });
}
