/**
 * A simulated RESTCONF server, strict as RFC 8040 has it: media types, query parameters, entity tags, keys, and errors in
 * the body. One datastore, and YANG Patch (RFC 8072).
 */
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import { messageOf } from "../../../base/errors.ts";
import { isRecord } from "../../../base/json/members.ts";
import { parseXml } from "../../../base/xml/xml.ts";
import { escapeXml } from "../../../base/xml/xml-write.ts";
import { listenOn } from "../listener.ts";
import { type Answer, createStore, type RestconfStore } from "./restconf-store.ts";
import {
  type Data,
  Refusal,
  root as rootNode,
  type Step,
  selected,
  selectionOf,
  shownOf,
  stepsOf,
  valueAt,
} from "./yang/data.ts";
import { elementsOf, toData, toXml } from "./yang/xml.ts";

export interface RestconfDeviceOptions {
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  readonly hostname?: string;
  /** Default `/restconf`. */
  readonly root?: string;
  /** PEM texts; without them it speaks HTTP. With `ca`, a client certificate of it is required. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string };
}

export interface RestconfDevice {
  readonly port: number;
  /** Requests in order, such as `PATCH /restconf/data/ietf-system:system`; bodies of those that edit. */
  readonly requests: string[];
  readonly bodies: string[];
  running(): Data;
  /** Called before a request is answered, such as `PUT /restconf/data/a:b`. */
  meet(before: ((request: string) => Promise<void>) | undefined): void;
  stop(): Promise<void>;
}

type Encoding = "json" | "xml";
const namespace = "urn:ietf:params:xml:ns:yang:ietf-restconf";
const mostBody = 4 * 1024 * 1024;

export async function startRestconfDevice(options: RestconfDeviceOptions = {}): Promise<RestconfDevice> {
  const { username = "admin", password = "admin", hostname = "R1", root = "/restconf", tls } = options;
  const store = createStore(hostname);
  const requests: string[] = [];
  const bodies: string[] = [];
  let meeting: ((request: string) => Promise<void>) | undefined;
  const login = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET" } = request;
    const url = new URL(request.url ?? "/", "http://device");
    requests.push(`${method} ${url.pathname}`);
    const body = await bodyOf(request);
    if (method !== "GET" && method !== "HEAD") bodies.push(body);
    await meeting?.(`${method} ${url.pathname}`);
    const encoding = encodingOf(request);
    try {
      reply(response, answer({ method, url, body, request }, encoding ?? "json"), method);
    } catch (error) {
      const fault =
        error instanceof Refusal ? error : new Refusal(400, "malformed-message", messageOf(error));
      reply(response, { status: fault.status, ...errorsOf(fault, encoding ?? "json") }, method);
    }
  }

  function answer(asked: Asked, encoding: Encoding): Answer {
    const { method, url, request } = asked;
    if (url.pathname === "/.well-known/host-meta") return hostMeta(method, root);
    if (request.headers.authorization !== login)
      throw new Refusal(401, "access-denied", "The login is not valid.");
    if (encodingOf(request) === undefined) throw new Refusal(406, "invalid-value", "Only JSON and XML.");
    if (url.pathname !== root && !url.pathname.startsWith(`${root}/`))
      throw new Refusal(404, "invalid-value", "There is no such resource.");
    const [head = "", ...rest] = url.pathname.slice(root.length + 1).split("/");
    if (rest.includes("")) throw new Refusal(400, "invalid-value", "The path has an empty part.");
    switch (head) {
      case "":
        return onlyGet(method, () => apiOf(encoding));
      case "yang-library-version":
        return onlyGet(method, () => libraryOf(encoding));
      case "operations":
        return rest.length === 0
          ? onlyGet(method, () => operationsOf(store, encoding))
          : store.call(rest, method, rpcInput(asked));
      case "data":
        return onData(store, rest, asked, encoding);
      default:
        throw new Refusal(404, "invalid-value", "There is no such resource.");
    }
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response).catch(() => response.destroy());
  const server =
    tls === undefined
      ? createHttp(onRequest)
      : createHttps(
          {
            cert: tls.cert,
            key: tls.key,
            ...(tls.ca === undefined ? {} : { ca: tls.ca, requestCert: true }),
          },
          onRequest,
        );
  const { host = "127.0.0.1", port = 0 } = options;
  const listening = await listenOn(server, { host, port }, () => server.closeAllConnections());
  return {
    port: listening.port,
    requests,
    bodies,
    running: store.running,
    meet(before) {
      meeting = before;
    },
    stop: listening.stop,
  };
}

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly body: string;
  readonly request: IncomingMessage;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > mostBody) throw new Error("too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function reply(response: ServerResponse, { status, headers = {}, body = "" }: Answer, method: string): void {
  const length = body === "" ? {} : { "Content-Length": Buffer.byteLength(body) };
  const challenge = status === 401 ? { "WWW-Authenticate": 'Basic realm="restconf"' } : {};
  response.writeHead(status, { "Cache-Control": "no-cache", ...headers, ...length, ...challenge });
  response.end(method === "HEAD" ? "" : body);
}

/** What the answer is written in; undefined: nothing that the client accepts. */
function encodingOf({ headers: { accept = "*/*" } }: IncomingMessage): Encoding | undefined {
  const types = accept.split(",").map((one) => one.split(";")[0]?.trim());
  if (
    types.some((type) => type === "application/yang-data+json" || type === "*/*" || type === "application/*")
  )
    return "json";
  return types.includes("application/yang-data+xml")
    ? "xml"
    : types.includes("application/xrd+xml")
      ? "xml"
      : undefined;
}

const typeOf = (encoding: Encoding) => ({ "Content-Type": `application/yang-data+${encoding}` });

function errorsOf({ tag, message, path }: Refusal, encoding: Encoding): Pick<Answer, "headers" | "body"> {
  const error = {
    ...{ "error-type": "application", "error-tag": tag },
    ...(path === undefined ? {} : { "error-path": path }),
    "error-message": message,
  };
  const inside = Object.entries(error)
    .map(([name, text]) => `<${name}>${escapeXml(text)}</${name}>`)
    .join("");
  return {
    headers: typeOf(encoding),
    body:
      encoding === "json"
        ? JSON.stringify({ "ietf-restconf:errors": { error: [error] } })
        : `<errors xmlns="${namespace}"><error>${inside}</error></errors>`,
  };
}

function onlyGet(method: string, make: () => Answer): Answer {
  if (method === "GET" || method === "HEAD") return make();
  if (method === "OPTIONS") return { status: 200, headers: { Allow: "GET, HEAD, OPTIONS" } };
  throw new Refusal(405, "operation-not-supported", `${method} is not possible here.`);
}

function hostMeta(method: string, root: string): Answer {
  return onlyGet(method, () => ({
    status: 200,
    headers: { "Content-Type": "application/xrd+xml" },
    body: `<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0"><Link rel="restconf" href="${root}"/></XRD>`,
  }));
}

const library = "2016-06-21";
const libraryOf = (encoding: Encoding): Answer => ({
  status: 200,
  headers: typeOf(encoding),
  body:
    encoding === "json"
      ? JSON.stringify({ "ietf-restconf:yang-library-version": library })
      : `<yang-library-version xmlns="${namespace}">${library}</yang-library-version>`,
});

const apiOf = (encoding: Encoding): Answer => ({
  status: 200,
  headers: typeOf(encoding),
  body:
    encoding === "json"
      ? JSON.stringify({
          "ietf-restconf:restconf": { data: {}, operations: {}, "yang-library-version": library },
        })
      : `<restconf xmlns="${namespace}"><data/><operations/><yang-library-version>${library}</yang-library-version></restconf>`,
});

function operationsOf({ operations }: RestconfStore, encoding: Encoding): Answer {
  const names = operations();
  const body =
    encoding === "json"
      ? JSON.stringify({
          "ietf-restconf:operations": Object.fromEntries(names.map(({ name }) => [name, [null]])),
        })
      : `<operations xmlns="${namespace}">${names.map(({ name, namespace }) => `<${name.replace(/^.*:/, "")} xmlns="${namespace}"/>`).join("")}</operations>`;
  return { status: 200, headers: typeOf(encoding), body };
}

/** The media type of a body. @throws Refusal 415 */
function contentOf({ request, method }: Asked): { readonly encoding: Encoding; readonly isPatch: boolean } {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  const [, what, encoding] = /^application\/(yang-data|yang-patch)\+(json|xml)$/.exec(type ?? "") ?? [];
  const isPatch = what === "yang-patch";
  if ((encoding !== "json" && encoding !== "xml") || (isPatch && (method !== "PATCH" || encoding !== "json")))
    throw new Refusal(415, "invalid-value", `The media type "${type}" is not read here.`);
  return { encoding, isPatch };
}

function rpcInput(asked: Asked): Data | undefined {
  if (asked.body === "") return undefined;
  const { encoding } = contentOf(asked);
  if (encoding === "json") return objectIn(asked.body);
  const { name, namespace, children } = parseXml(asked.body);
  return { [`${namespace}:${name}`]: Object.fromEntries(children.map((child) => [child.name, child.text])) };
}

function objectIn(body: string): Data {
  const value: unknown = JSON.parse(body);
  if (isRecord(value)) return value;
  throw new Refusal(400, "malformed-message", "The body must be an object.");
}

/** Query parameters, and the methods that take them (section 4.8). */
const parameters: Readonly<Record<string, readonly string[]>> = {
  content: ["GET", "HEAD"],
  depth: ["GET", "HEAD"],
  fields: ["GET", "HEAD"],
  "with-defaults": ["GET", "HEAD"],
  insert: ["POST", "PUT"],
  point: ["POST", "PUT"],
};
const words: Readonly<Record<string, readonly string[]>> = {
  content: ["config", "nonconfig", "all"],
  "with-defaults": ["report-all", "trim", "explicit"],
  insert: ["first", "last", "before", "after"],
};

function queryOf(url: URL, method: string): Readonly<Record<string, string>> {
  const query: Record<string, string> = {};
  for (const [name, value] of url.searchParams) {
    const fault = (why: string) => new Refusal(400, "invalid-value", `The query parameter ${name} ${why}.`);
    if (!Object.hasOwn(parameters, name)) throw fault("is not known");
    if (parameters[name]?.includes(method) !== true) throw fault(`is not for ${method}`);
    if (Object.hasOwn(query, name)) throw fault("occurs twice");
    if (words[name]?.includes(value) === false) throw fault("has another value");
    query[name] = value;
  }
  return query;
}

function onData(store: RestconfStore, segments: readonly string[], asked: Asked, encoding: Encoding): Answer {
  const { method, url, body, request } = asked;
  const steps = stepsOf(segments);
  const query = queryOf(url, method);
  if (method === "OPTIONS")
    return {
      status: 200,
      headers: {
        Allow: "GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE",
        "Accept-Patch": "application/yang-data+json, application/yang-data+xml, application/yang-patch+json",
      },
    };
  if (method === "GET" || method === "HEAD") {
    if (request.headers["if-none-match"] === store.etag())
      return { status: 304, headers: { ETag: store.etag() } };
    return read(store, steps, query, encoding);
  }
  const condition = request.headers["if-match"];
  if (condition !== undefined && condition !== "*" && condition !== store.etag())
    throw new Refusal(412, "operation-failed", "The resource has changed since.");
  if (method === "DELETE") return store.remove(steps);
  const content = contentOf(asked);
  const value = content.encoding === "json" ? objectIn(body) : membersIn(body, steps, method);
  switch (method) {
    case "POST":
      return store.create(steps, value, query, url.pathname);
    case "PUT":
      return store.replace(steps, value, query);
    case "PATCH":
      return content.isPatch ? store.patch(steps, value) : store.merge(steps, value);
    default:
      throw new Refusal(405, "operation-not-supported", `${method} is not possible here.`);
  }
}

/** A body of XML in the form of a body of JSON. */
function membersIn(body: string, steps: readonly Step[], method: string): Data {
  const element = parseXml(body);
  if (steps.length === 0 && method !== "POST") {
    if (element.name !== "data" || element.namespace !== namespace)
      throw new Refusal(400, "malformed-message", "The body must be <data>.");
    return { "ietf-restconf:data": toData(element.children, rootNode.children, true) };
  }
  const holder = method === "POST" ? steps : steps.slice(0, -1);
  const node = holder.at(-1)?.node ?? rootNode;
  if (!("children" in node)) throw new Refusal(400, "invalid-value", "A leaf has no children.");
  const module = steps[0]?.name.split(":")[0];
  const data = toData([element], node.children, holder.length === 0);
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name.includes(":") ? name : `${module}:${name}`, value]),
  );
}

function read(
  store: RestconfStore,
  steps: readonly Step[],
  query: Readonly<Record<string, string>>,
  encoding: Encoding,
): Answer {
  const { content = "all", depth = "unbounded", fields, "with-defaults": defaults } = query;
  if (depth !== "unbounded" && !/^[1-9]\d{0,4}$/.test(depth))
    throw new Refusal(400, "invalid-value", "depth must be unbounded or a number from 1.");
  const levels = depth === "unbounded" ? undefined : Number(depth);
  const last = steps.at(-1);
  const node = last?.node ?? rootNode;
  const found = valueAt(store.all(), steps);
  const missing = () => new Refusal(404, "invalid-value", "There is no such resource.");
  if (found === undefined) throw missing();
  if (node.kind === "list" && last?.keys === undefined && encoding === "xml")
    throw new Refusal(400, "invalid-value", "XML has one entry: name its keys.");
  const isEntry = last?.keys !== undefined;
  const value = shownOf(node, isEntry ? [found] : found, { content, depth: levels, defaults });
  if (value === undefined && last !== undefined) throw missing();
  const part = fields === undefined ? value : selected(value, selectionOf(fields));
  const name = last === undefined ? "ietf-restconf:data" : named(steps);
  const body =
    encoding === "json"
      ? JSON.stringify({ [name]: part ?? {} })
      : last === undefined
        ? `<data xmlns="${namespace}">${isRecord(part) ? toXml(part) : ""}</data>`
        : elementsOf(name, node, part);
  return {
    status: 200,
    headers: { ...typeOf(encoding), ETag: store.etag(), "Last-Modified": store.modified() },
    body,
  };
}

/** With the module in front, as the outermost member has it. */
export function named(steps: readonly Step[]): string {
  const module = steps[0]?.name.split(":")[0] ?? "";
  const name = steps.at(-1)?.name ?? "";
  return name.includes(":") ? name : `${module}:${name}`;
}
