/** A NETCONF server over real SSH, for tests: scripted, with fragmented output, and able to violate any rule. */
import { once } from "node:events";
import { createServer } from "node:net";
import { parseXml, type XmlElement } from "../../src/base/xml/xml.ts";
import { createDeframer } from "../../src/device/netconf/framing.ts";
import { type Connection, Server, type ServerChannel } from "../../src/device/ssh/ssh2.ts";
import { makeKeyPair } from "../../src/testkit/simulator/hostkey.ts";

const base = "urn:ietf:params:xml:ns:netconf:base:1.0";
export const base10 = "urn:ietf:params:netconf:base:1.0";
export const base11 = "urn:ietf:params:netconf:base:1.1";

/** A client's session. */
export interface NetconfPeer {
  readonly sessionId: number;
  /** Framing chosen by the client. */
  readonly chunked: boolean;
  /** Writes unframed data. */
  raw(text: string | Uint8Array): void;
  /** Writes a framed message. */
  send(message: string): void;
  /** Sends an `<rpc-reply>` with this content. */
  reply(messageId: string | undefined, inside: string): void;
  /** Closes the channel. */
  end(): void;
  /** Closes the whole connection. */
  drop(): void;
}

export interface NetconfScript {
  /** Default: both base versions. */
  readonly capabilities?: readonly string[];
  /** Replaces the hello, sent as is; no end marker is added. */
  readonly hello?: string;
  /** Written to stderr, which is not part of the protocol. */
  readonly complaint?: string;
  /** Bytes per write. */
  readonly piece?: number;
  /** Takes up the first call only when something follows it, as netconfd does if it finds hello and call in one piece. */
  readonly isSleepy?: boolean;
  /**
   * Called for each message after the client's hello with the operation and its message id. `close-session`
   * is answered automatically.
   */
  rpc?(operation: XmlElement, messageId: string, peer: NetconfPeer): void;
  /** Called when a client's session ends for any reason. */
  ended?(peer: NetconfPeer): void;
}

export interface NetconfServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Text of all messages of clients. */
  readonly heard: string[];
  close(): Promise<void>;
}

export const ok = "<ok/>";

export function rpcError(
  message: string,
  { severity = "error", tag = "operation-failed", info = "" } = {},
): string {
  return `<rpc-error><error-type>protocol</error-type><error-tag>${tag}</error-tag><error-severity>${severity}</error-severity><error-message>\n${message}\n</error-message>${info}</rpc-error>`;
}

/** @param script called for each session */
export async function startNetconfServer(
  script: () => NetconfScript,
  { host = "127.0.0.1", password = "admin" } = {},
): Promise<NetconfServer> {
  const clients = new Set<Connection>();
  const heard: string[] = [];
  let sessions = 0;
  const ssh = new Server({ hostKeys: [makeKeyPair().private] }, (client) => {
    clients.add(client);
    client.on("error", () => {});
    client.on("close", () => clients.delete(client));
    client.on("authentication", (request) =>
      request.method === "password" && request.password === password
        ? request.accept()
        : request.reject(["password"]),
    );
    client.on("session", (accept) => {
      accept().on("subsystem", (accepted, rejected, info) => {
        if (info.name === "netconf") serve(accepted(), client, script(), ++sessions, heard);
        else rejected();
      });
    });
  });
  const server = createServer((socket) => ssh.injectSocket(socket)).listen(0, host);
  await once(server, "listening");
  const address = server.address();
  return {
    host,
    port: typeof address === "object" && address !== null ? address.port : 0,
    user: "admin",
    password,
    heard,
    async close() {
      for (const client of clients) client.end();
      server.close();
      await once(server, "close");
    },
  };
}

function serve(
  channel: ServerChannel,
  client: Connection,
  script: NetconfScript,
  sessionId: number,
  heard: string[],
): void {
  const { capabilities = [base10, base11] } = script;
  let chunked = false;
  let greeted = false;
  let open = true;
  const peer: NetconfPeer = {
    sessionId,
    get chunked() {
      return chunked;
    },
    raw(text) {
      const bytes = Buffer.from(text as string);
      const piece = script.piece ?? (bytes.byteLength || 1);
      for (let at = 0; at < bytes.byteLength && open; at += piece)
        channel.write(bytes.subarray(at, at + piece));
    },
    send: (message) => peer.raw(chunked ? inChunks(message) : `${message}]]>]]>`),
    reply(messageId, inside) {
      const id = messageId === undefined ? "" : ` message-id="${messageId}"`;
      peer.send(`<rpc-reply xmlns="${base}"${id}>${inside}</rpc-reply>`);
    },
    end() {
      if (!open) return;
      channel.exit(0);
      channel.end();
    },
    drop: () => client.end(),
  };
  const deframer = createDeframer({ maxBytes: 64 * 1024 * 1024 }, (message) => {
    const text = message.toString("utf8");
    heard.push(text);
    if (!greeted) {
      greeted = true;
      chunked = text.includes(base11) && capabilities.includes(base11);
      if (chunked) deframer.use("chunked");
      return;
    }
    const root = parseXml(text);
    const messageId = root.attribute("message-id") ?? "";
    const [operation] = root.children;
    if (operation === undefined) return;
    if (operation.name !== "close-session") return script.rpc?.(operation, messageId, peer);
    peer.reply(messageId, ok);
    peer.end();
  });
  let slept: Buffer | undefined;
  channel.on("data", (bytes: Buffer) => {
    if (script.isSleepy === true && greeted && slept === undefined) {
      slept = bytes;
      return;
    }
    deframer.push(slept?.byteLength ? Buffer.concat([slept, bytes]) : bytes);
    slept &&= Buffer.alloc(0);
  });
  channel.on("error", () => {});
  channel.on("close", () => {
    open = false;
    script.ended?.(peer);
  });
  if (script.complaint !== undefined) channel.stderr.write(script.complaint);
  const list = capabilities.map((uri) => `<capability>${uri}</capability>`).join("\n");
  peer.raw(
    script.hello ??
      `<hello xmlns="${base}"><capabilities>${list}</capabilities><session-id>${sessionId}</session-id></hello>]]>]]>`,
  );
}

/** In chunks of odd sizes. */
function inChunks(message: string): Buffer {
  const bytes = Buffer.from(message);
  const parts: Buffer[] = [];
  for (let at = 0, size = 1; at < bytes.byteLength; at += size, size = Math.min(size * 3, 5_000)) {
    const part = bytes.subarray(at, at + size);
    parts.push(Buffer.from(`\n#${part.byteLength}\n`), part);
    if (part.byteLength < size) break;
  }
  return Buffer.concat([...parts, Buffer.from("\n##\n")]);
}
