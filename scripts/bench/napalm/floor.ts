/**
 * The floor: a bare client that sends the driver's requests to a device, parses each response by format
 * (text, JSON, XML) and ignores its content.
 */
import https from "node:https";
import { SaxesParser } from "saxes";
import { Client, type ClientChannel } from "../../../src/device/ssh/ssh2.ts";
import type { ReplayRequest } from "../../testbed/replay.ts";
import { openFloor } from "../cli/floor.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Sends all requests to one device; returns the number of characters received. */
type Floor = (at: Address, questions: readonly string[]) => Promise<number>;

/** The same timeout as the driver's. */
const patienceMs = 120_000;
const login = { username: "admin", password: "admin" };
const basic = `Basic ${Buffer.from("admin:admin").toString("base64")}`;

/** The name of a request in a replay device's log, by system. */
const words: Readonly<Record<string, readonly [word: string, floor: Floor]>> = {
  ios: ["cli", askTerminal],
  nxos_ssh: ["cli", askTerminal],
  eos: ["eapi", askEapi],
  nxos: ["nxapi", askNxapi],
  junos: ["rpc", askNetconf],
  iosxr_netconf: ["netconf", askNetconf],
  iosxr: ["xml", askXmlAgent],
};

/** The requests of a system, from the log of its replay device. */
export function questionsOf(system: string, log: readonly ReplayRequest[]): string[] {
  const [word] = rawOf(system);
  return log.flatMap(({ request, answer }) => {
    const text = questionOf(request, word);
    return text !== undefined && answer !== null && !isOfSession(text) ? [text] : [];
  });
}

/** A client that sends them. */
export function floorClient(system: string, questions: readonly string[]): (at: Address) => Promise<number> {
  const [, floor] = rawOf(system);
  return (at) => floor(at, questions);
}

function rawOf(system: string): readonly [word: string, floor: Floor] {
  const raw = words[system];
  if (raw === undefined) throw new Error(`no raw client for ${system}`);
  return raw;
}

/** Model-driven NETCONF requests are logged as the operation with the content of its filter. */
function questionOf(request: unknown, word: string): string | undefined {
  if (typeof request !== "object" || request === null) return undefined;
  const of = (name: string): string | undefined => {
    const value: unknown = Reflect.get(request, name);
    return typeof value === "string" ? value : undefined;
  };
  const text = of(word);
  const xml = of("xml");
  if (word !== "netconf" || text === undefined || xml === undefined) return text;
  if (text === "rpc") return xml;
  const source = of("source");
  const from = source === undefined ? "" : `<source><${source}/></source>`;
  return `<${text}>${from}<filter type="subtree">${xml}</filter></${text}>`;
}

/** Session setup and teardown, which the bare client does in its own way. */
const isOfSession = (text: string) =>
  /^(?:enable|exit|xml|hello|close-session|terminal .*|\(secret\))$/.test(text);

async function askTerminal(at: Address, commands: readonly string[]): Promise<number> {
  const session = await openFloor({ ...at, ...login });
  let chars = 0;
  for (const command of commands) chars += (await session.send(command)).length;
  await session.close();
  return chars;
}

function post(agent: https.Agent, { host, port }: Address, path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        agent,
        host,
        port,
        path,
        method: "POST",
        rejectUnauthorized: false,
        headers: {
          Authorization: basic,
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(body),
        },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const text = Buffer.concat(chunks).toString();
        JSON.parse(text);
        resolve(text.length);
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

async function askEapi(at: Address, commands: readonly string[]): Promise<number> {
  const agent = new https.Agent({ keepAlive: true });
  const enable = { cmd: "enable", input: "enable" };
  const list = (cmds: readonly unknown[]) => {
    const params = { version: 1, format: "json", cmds: [enable, ...cmds] };
    return JSON.stringify({ jsonrpc: "2.0", method: "runCmds", id: "1", params });
  };
  // One request for the login, one for all commands.
  let chars = await post(agent, at, "/command-api", list([]));
  chars += await post(agent, at, "/command-api", list(commands));
  agent.destroy();
  return chars;
}

async function askNxapi(at: Address, commands: readonly string[]): Promise<number> {
  const agent = new https.Agent({ keepAlive: true });
  let chars = 0;
  for (const [id, cmd] of commands.entries()) {
    const call = { jsonrpc: "2.0", method: "cli", params: { cmd, version: 1 }, id: id + 1 };
    chars += await post(agent, at, "/ins", JSON.stringify([call]));
  }
  agent.destroy();
  return chars;
}

function connected(at: Address): Promise<Client> {
  return new Promise((resolve, reject) => {
    const client = new Client();
    client.on("error", reject);
    client.on("ready", () => {
      client.setNoDelay(true);
      resolve(client);
    });
    client.connect({ ...at, ...login, authHandler: ["password"], readyTimeout: patienceMs });
  });
}

const closed = (client: Client) =>
  new Promise<void>((resolve) => {
    client.on("close", () => resolve());
    client.end();
  });

/** Sends text and waits for the end marker of the response. */
function speaker(channel: ClientChannel, end: string): (text: string) => Promise<string> {
  let parts: string[] = [];
  let waiting: ((answer: string) => void) | undefined;
  channel.on("data", (chunk: Buffer) => {
    const text = chunk.toString("latin1");
    // The end marker may span two chunks.
    const tail = (parts.at(-1) ?? "").slice(-end.length) + text;
    parts.push(text);
    if (!tail.trimEnd().endsWith(end) || !waiting) return;
    const done = waiting;
    waiting = undefined;
    const all = parts.join("");
    parts = [];
    done(all.slice(0, all.lastIndexOf(end)));
  });
  return (text) =>
    new Promise((resolve) => {
      waiting = resolve;
      if (text !== "") channel.write(text);
    });
}

/** Parses with the service's parser and discards the result. */
function read(answer: string): number {
  new SaxesParser().write(answer.slice(answer.indexOf("<"))).close();
  return answer.length;
}

/** Uses NETCONF 1.0 framing. */
async function askNetconf(at: Address, operations: readonly string[]): Promise<number> {
  const client = await connected(at);
  const channel = await new Promise<ClientChannel>((resolve, reject) =>
    client.subsys("netconf", (error, stream) => (error ? reject(error) : resolve(stream))),
  );
  const end = "]]>]]>";
  const base = "urn:ietf:params:xml:ns:netconf:base:1.0";
  const capability = "<capability>urn:ietf:params:netconf:base:1.0</capability>";
  const hello = `<hello xmlns="${base}"><capabilities>${capability}</capabilities></hello>${end}`;
  const say = speaker(channel, end);
  await say("");
  channel.write(hello);
  let chars = 0;
  for (const [id, operation] of operations.entries())
    chars += read(await say(`<rpc message-id="${id}" xmlns="${base}">${operation}</rpc>${end}`));
  await closed(client);
  return chars;
}

async function askXmlAgent(at: Address, requests: readonly string[]): Promise<number> {
  const client = await connected(at);
  const channel = await new Promise<ClientChannel>((resolve, reject) =>
    client.shell((error, stream) => (error ? reject(error) : resolve(stream))),
  );
  const say = speaker(channel, "XML>");
  await say("xml\n");
  let chars = 0;
  for (const request of requests)
    chars += read(await say(`<Request MajorVersion="1" MinorVersion="0">${request}</Request>\n`));
  await closed(client);
  return chars;
}
