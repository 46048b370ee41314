/** A simulated NETCONF server over SSH: a candidate with its lock, confirmed commits with their timer, subtree filters. */
import { createServer } from "node:net";
import { isRecord } from "../../../base/json/members.ts";
import { parseXml, type XmlElement } from "../../../base/xml/xml.ts";
import { escapeXml } from "../../../base/xml/xml-write.ts";
import { createDeframer } from "../../../device/netconf/framing.ts";
import { type Connection, Server, type ServerChannel } from "../../../device/ssh/ssh2.ts";
import { makeKeyPair } from "../hostkey.ts";
import { listenOn } from "../listener.ts";
import { edit, type Operation } from "./netconf-edit.ts";
import { checkWhole, type Data, mergeMembers, Refusal, root } from "./yang/data.ts";
import { initialConfiguration, initialState, isLeaf, modules, type Node } from "./yang/schema.ts";
import { elementsOf, topName, toXml } from "./yang/xml.ts";

export interface NetconfDeviceOptions {
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  readonly hostname?: string;
}

export interface SimulatedNetconf {
  readonly port: number;
  running(): Data;
  stop(): Promise<void>;
}

const base = "urn:ietf:params:xml:ns:netconf:base:1.0";
const cap = (name: string) => `urn:ietf:params:netconf:capability:${name}`;
const capabilities = [
  ...["urn:ietf:params:netconf:base:1.0", "urn:ietf:params:netconf:base:1.1"],
  ...["candidate:1.0", "confirmed-commit:1.1", "validate:1.1", "rollback-on-error:1.0"].map(cap),
  ...modules.map(({ name, namespace, revision }) => `${namespace}?module=${name}&amp;revision=${revision}`),
];
const mostBytes = 4 * 1024 * 1024;
const defaultConfirmSeconds = 600;
const mostConfirmSeconds = 65_535;

interface Waiting {
  readonly before: Data;
  readonly handle: string | undefined;
  readonly session: number;
  readonly timer: NodeJS.Timeout;
}

export async function startNetconfSimulator(options: NetconfDeviceOptions = {}): Promise<SimulatedNetconf> {
  const { host = "127.0.0.1", port = 0, username = "admin", password = "admin", hostname = "R1" } = options;
  let running: Data = initialConfiguration(hostname);
  let candidate = running;
  const state = initialState([]);
  let lockedBy: number | undefined;
  let waiting: Waiting | undefined;
  let sessions = 0;

  function takeBack(): void {
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    running = candidate = waiting.before;
    waiting = undefined;
  }

  function commit(operation: XmlElement, session: number): void {
    const handle = operation.textOf("persist-id");
    if (waiting !== undefined && (waiting.handle ?? "") !== handle)
      throw new Refusal(409, "invalid-value", "A confirmed commit waits for another persist-id.");
    if (waiting === undefined && handle !== "")
      throw new Refusal(409, "invalid-value", "No confirmed commit waits.");
    checkWhole(root.children, candidate);
    const before = waiting?.before ?? running;
    clearTimeout(waiting?.timer);
    waiting = undefined;
    running = candidate;
    if (operation.find("confirmed") === undefined) return;
    const seconds = Number(operation.textOf("confirm-timeout") || defaultConfirmSeconds);
    if (!(seconds >= 1 && seconds <= mostConfirmSeconds))
      throw new Refusal(400, "invalid-value", "confirm-timeout is out of range.");
    const persist = operation.textOf("persist");
    const timer = setTimeout(takeBack, seconds * 1000);
    waiting = { before, handle: persist === "" ? undefined : persist, session, timer };
  }

  function perform(operation: XmlElement, session: number): string {
    switch (operation.name) {
      case "get":
        return shown(mergeMembers(root.children, structuredClone(running), state), operation);
      case "get-config":
        return shown(operation.find("source/candidate") === undefined ? running : candidate, operation);
      case "lock":
        if (lockedBy !== undefined && lockedBy !== session)
          throw new Refusal(409, "lock-denied", "Another session has the lock.", `${lockedBy}`);
        if (candidate !== running) throw new Refusal(409, "lock-denied", "The candidate has changes.", "0");
        lockedBy = session;
        return ok;
      case "unlock":
        if (lockedBy !== session) throw new Refusal(409, "operation-failed", "This session has no lock.");
        lockedBy = undefined;
        candidate = running;
        return ok;
      case "edit-config": {
        if (operation.find("target/candidate") === undefined)
          throw new Refusal(400, "operation-not-supported", "Only the candidate can be edited.");
        requireOwn(session);
        const copy = structuredClone(candidate);
        const begin = defaultOperation(operation);
        const config = operation.find("config")?.children ?? [];
        if (begin === "replace") for (const name of Object.keys(copy)) delete copy[name];
        edit(copy, config, begin === "replace" ? "merge" : begin);
        candidate = copy;
        return ok;
      }
      case "validate":
        checkWhole(root.children, operation.find("source/running") === undefined ? candidate : running);
        return ok;
      case "discard-changes":
        requireOwn(session);
        candidate = running;
        return ok;
      case "commit":
        requireOwn(session);
        commit(operation, session);
        return ok;
      case "cancel-commit":
        if (waiting === undefined || (waiting.handle ?? "") !== operation.textOf("persist-id"))
          throw new Refusal(409, "invalid-value", "No such commit waits.");
        takeBack();
        return ok;
      default:
        throw new Refusal(400, "operation-not-supported", `There is no ${operation.name}.`);
    }
  }

  function requireOwn(session: number): void {
    if (lockedBy !== undefined && lockedBy !== session)
      throw new Refusal(409, "in-use", "Another session has the lock.");
  }

  /** A session that ends gives back its lock, and takes back a commit that only it could confirm. */
  function ended(session: number): void {
    if (lockedBy === session) {
      lockedBy = undefined;
      candidate = running;
    }
    if (waiting?.session === session && waiting.handle === undefined) takeBack();
  }

  const clients = new Set<Connection>();
  const ssh = new Server({ hostKeys: [makeKeyPair().private] }, (client) => {
    clients.add(client);
    client.on("error", () => {});
    client.on("close", () => clients.delete(client));
    client.on("authentication", (request) =>
      request.method === "password" && request.username === username && request.password === password
        ? request.accept()
        : request.reject(["password"]),
    );
    client.on("session", (accept) => {
      accept().on("subsystem", (accepted, rejected, info) => {
        if (info.name !== "netconf") return rejected();
        const session = ++sessions;
        serve(
          accepted(),
          session,
          (operation) => perform(operation, session),
          () => ended(session),
        );
      });
    });
  });
  const server = createServer((socket) => ssh.injectSocket(socket));
  const listening = await listenOn(server, { host, port }, () => {
    for (const client of clients) client.end();
  });
  return {
    port: listening.port,
    running: () => running,
    async stop() {
      clearTimeout(waiting?.timer);
      await listening.stop();
    },
  };
}

const ok = "<ok/>";

function defaultOperation(operation: XmlElement): Operation {
  const given = operation.textOf("default-operation") || "merge";
  if (given === "merge" || given === "replace" || given === "none") return given;
  throw new Refusal(400, "invalid-value", "default-operation is not valid.");
}

/** `<data>`, or the part that a subtree filter selects. */
function shown(data: Data, operation: XmlElement): string {
  const filter = operation.find("filter");
  if (filter === undefined) return `<data>${toXml(data)}</data>`;
  if (filter.attribute("type") === "xpath")
    throw new Refusal(400, "operation-not-supported", "There are no XPath filters.");
  const parts = filter.children.map((element) => {
    const name = topName(element);
    const node = root.children[name];
    const value = node === undefined ? undefined : filtered(data[name], element, node);
    return node === undefined || value === undefined ? "" : elementsOf(name, node, value);
  });
  return `<data>${parts.join("")}</data>`;
}

/** What one element of a filter selects of a value; undefined: nothing. */
function filtered(value: unknown, filter: XmlElement, node: Node): unknown {
  if (value === undefined) return undefined;
  if (isLeaf(node))
    return filter.text.trim() === "" || filter.text.trim() === String(value) ? value : undefined;
  if (Array.isArray(value)) {
    const entries = value.map((entry) => filtered(entry, filter, node)).filter((one) => one !== undefined);
    return entries.length === 0 ? undefined : entries;
  }
  if (!isRecord(value) || filter.children.length === 0) return value;
  const record: Data = value;
  const matching = filter.children.filter((child) => child.children.length === 0 && child.text.trim() !== "");
  if (matching.some((child) => String(record[child.name]) !== child.text.trim())) return undefined;
  // Only conditions: the whole of what fits.
  if (matching.length === filter.children.length) return value;
  const part: Data = {};
  for (const child of filter.children) {
    const inner = node.children[child.name];
    const found = inner === undefined ? undefined : filtered(record[child.name], child, inner);
    if (found !== undefined) part[child.name] = found;
  }
  return Object.keys(part).length === 0 ? undefined : part;
}

function serve(
  channel: ServerChannel,
  session: number,
  perform: (operation: XmlElement) => string,
  ended: () => void,
): void {
  let isChunked = false;
  let hasGreeted = false;
  const send = (message: string) => {
    const bytes = Buffer.from(message);
    channel.write(
      isChunked
        ? Buffer.concat([Buffer.from(`\n#${bytes.length}\n`), bytes, Buffer.from("\n##\n")])
        : Buffer.from(`${message}]]>]]>`),
    );
  };
  const deframer = createDeframer({ maxBytes: mostBytes }, (message) => {
    const text = message.toString("utf8");
    if (!hasGreeted) {
      hasGreeted = true;
      isChunked = text.includes("urn:ietf:params:netconf:base:1.1");
      if (isChunked) deframer.use("chunked");
      return;
    }
    const root = parseXml(text);
    const id = escapeXml(root.attribute("message-id") ?? "");
    const [operation] = root.children;
    const isLast = operation?.name === "close-session";
    send(
      `<rpc-reply xmlns="${base}" message-id="${id}">${isLast ? ok : answerOf(operation, perform)}</rpc-reply>`,
    );
    if (!isLast) return;
    channel.exit(0);
    channel.end();
  });
  channel.on("data", (bytes: Buffer) => {
    try {
      deframer.push(bytes);
    } catch {
      // What is no NETCONF ends the session.
      channel.end();
    }
  });
  channel.on("error", () => {});
  channel.on("close", ended);
  const list = capabilities.map((uri) => `<capability>${uri}</capability>`).join("");
  send(
    `<hello xmlns="${base}"><capabilities>${list}</capabilities><session-id>${session}</session-id></hello>`,
  );
}

function answerOf(operation: XmlElement | undefined, perform: (operation: XmlElement) => string): string {
  try {
    if (operation === undefined) throw new Refusal(400, "missing-element", "There is no operation.");
    return perform(operation);
  } catch (error) {
    const { tag, message, path } =
      error instanceof Refusal ? error : new Refusal(400, "operation-failed", String(error));
    const info =
      tag === "lock-denied"
        ? `<error-info><session-id>${escapeXml(path ?? "0")}</session-id></error-info>`
        : "";
    const at =
      path === undefined || tag === "lock-denied" ? "" : `<error-path>${escapeXml(path)}</error-path>`;
    return `<rpc-error><error-type>application</error-type><error-tag>${tag}</error-tag><error-severity>error</error-severity>${at}<error-message>${escapeXml(message)}</error-message>${info}</rpc-error>`;
  }
}
