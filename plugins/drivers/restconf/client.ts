/** Requests to a RESTCONF server: the root of its API, its media types, and bounds on what it answers. */
import {
  type Context,
  formatXml,
  type HttpAnswer,
  type HttpSession,
  PluginError,
  parseXml,
  withDetail,
} from "patchbay/plugin";
import { readDeviceJson } from "../shared/device-json.ts";
import { messageOf } from "../shared/message.ts";
import { addressOf, type Tools } from "./connection.ts";
import { refusal } from "./errors.ts";
import { isRoot, resourceOf } from "./resources.ts";

export type Encoding = "json" | "xml";

export const mediaType = (encoding: Encoding, what = "yang-data"): string =>
  `application/${what}+${encoding}`;

/** As large as the replies of the other drivers that read whole configurations. */
const maxBytes = 32 * 1024 * 1024;
const maxHostMeta = 64 * 1024;

export interface Sent {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the root. */
  readonly path: string;
  readonly accept: Encoding;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly seconds?: number | undefined;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Client {
  /** Such as `/restconf`. */
  readonly root: string;
  /** @throws PluginError DriverError, before anything is sent: it is no path below the root */
  pathOf(text: string): string;
  /** @throws PluginError AuthenticationFailed, CommandError with the errors of the body, DriverError */
  send(sent: Sent, ctx: Context): Promise<Answered>;
  close(): Promise<void>;
}

export async function openClient(tools: Tools, ctx: Context): Promise<Client> {
  const { username, password, timeoutMs, root: given } = tools.connection;
  const { base, tls } = await addressOf(tools);
  const login = `${username ?? ""}:${password?.reveal() ?? ""}`;
  const headers = {
    // A compressed answer could be small until it is unpacked.
    "Accept-Encoding": "identity",
    ...(username === undefined ? {} : { Authorization: `Basic ${Buffer.from(login).toString("base64")}` }),
  };
  const session = await tools.http.session({ base, tls, timeoutMs, headers, maxBytes }, ctx);
  try {
    const root = trimmed(given ?? (await discovered(session, base, ctx)));
    return clientOn(session, root);
  } catch (error) {
    await session.close();
    throw advised(error);
  }
}

const trimmed = (path: string) => path.replace(/\/+$/, "");

function clientOn(session: HttpSession, root: string): Client {
  return {
    root,
    pathOf(text) {
      const resource = resourceOf(text, root);
      if ("path" in resource) return resource.path;
      throw new PluginError("DriverError", `"${text.slice(0, 100)}" ${resource.fault}.`, { outcome: "none" });
    },
    async send({ method, path, accept, query, headers, body, seconds }, ctx) {
      const command = `${method} ${root}/${path}`;
      const answer = await session
        .request(
          method,
          `${root}/${path}`,
          {
            headers: { Accept: mediaType(accept), ...headers },
            ...(query === undefined ? {} : { query }),
            ...(body === undefined ? {} : { body }),
            ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
          },
          ctx,
        )
        .catch((error: unknown) => {
          throw withDetail(advised(error), { command });
        });
      requireIdentity(answer, command);
      if (answer.status >= 200 && answer.status <= 299) return answer;
      throw refusal(answer, command);
    },
    close: session.close,
  };
}

/** As RFC 8040, section 3.1. A server without it has its API in the usual place. */
async function discovered(session: HttpSession, base: string, ctx: Context): Promise<string> {
  const answer = await session.request(
    "GET",
    "/.well-known/host-meta",
    { headers: { Accept: "application/xrd+xml" }, maxBytes: maxHostMeta },
    ctx,
  );
  if (answer.status !== 200) return "/restconf";
  requireIdentity(answer, "GET /.well-known/host-meta");
  const href = linkIn(answer.body);
  if (href === undefined) return "/restconf";
  const url = URL.canParse(href, base) ? new URL(href, base) : undefined;
  const own = new URL(base);
  if (url?.origin === own.origin && url.search === "" && url.hash === "" && isRoot(url.pathname))
    return url.pathname;
  throw new PluginError(
    "DriverError",
    `The server says at /.well-known/host-meta that its API is at "${href.slice(0, 200)}", which is not below this address: set connection_args.root, or the host and port that are meant.`,
    { outcome: "none" },
  );
}

/** Undefined: it is no document of this kind, or has no such link. */
function linkIn(body: string): string | undefined {
  try {
    const links = parseXml(body, { elements: 1_000, depth: 16 }).all("Link");
    return links.find((link) => link.attribute("rel") === "restconf")?.attribute("href");
  } catch (error) {
    if (error instanceof PluginError) return undefined;
    throw error;
  }
}

function requireIdentity({ headers }: HttpAnswer, command: string): void {
  const coding = headers["content-encoding"] ?? "identity";
  if (coding.toLowerCase() === "identity") return;
  throw new PluginError(
    "DriverError",
    `The answer to ${command} is compressed (${coding.slice(0, 40)}), which was not asked for.`,
    { command },
  );
}

function advised(error: unknown): unknown {
  if (!(error instanceof PluginError) || !error.message.startsWith("The certificate of ")) return error;
  const advice = "give its CA as connection_args.ca_file, or accept any with verify: false.";
  return new PluginError(
    "HostUnreachable",
    `${error.message.replace(/\.?$/, ":")} ${advice}`,
    { outcome: "none" },
    { cause: error },
  );
}

/** Data of an answer in the encoding that was asked for. @throws PluginError DriverError, OutputTooLarge */
export function dataOf({ body, headers }: Answered, encoding: Encoding, command: string): unknown {
  if (body.trim() === "") return null;
  const type = headers["content-type"] ?? "";
  const other = encoding === "json" ? /[/+]xml\b/i : /[/+]json\b/i;
  const wrong = (what: string) =>
    new PluginError("DriverError", `${command} was answered with ${what}.`, {
      command,
      output: body.slice(0, 2_000),
    });
  if (other.test(type))
    throw wrong(`${type.slice(0, 100)}, and not with ${encoding}: see driver_args.encoding`);
  if (encoding === "xml")
    try {
      return formatXml(parseXml(body));
    } catch (error) {
      if (error instanceof PluginError && error.kind === "OutputTooLarge") throw error;
      throw wrong(`text that is not XML (${messageOf(error).slice(0, 200)})`);
    }
  try {
    return readDeviceJson(body);
  } catch (error) {
    if (error instanceof PluginError) throw error;
    throw wrong(/^\s*</.test(body) ? "a page of HTML or XML" : "text that is not JSON");
  }
}

export const etagOf = ({ headers }: Answered): string | undefined => headers.etag?.slice(0, 1_024);
