/**
 * An IOS XR router with its XML agent behind a shell: lock, candidate per session, commits; misbehaves on
 * request.
 */
import type { AddressInfo } from "node:net";
import { pause } from "../../../../src/base/time/deadline.ts";
import { parseXml, type XmlElement } from "../../../../src/base/xml/xml.ts";
import { escapeXml } from "../../../../src/base/xml/xml-write.ts";
import { type Connection, type ServerChannel, Server as SshServer } from "../../../../src/device/ssh/ssh2.ts";
import { makeKeyPair } from "../../../../src/testkit/simulator/hostkey.ts";
import { type CandidateSession, createRouterState, Refused, type RouterState } from "./router-state.ts";

export interface Router extends RouterState {
  readonly port: number;
  /** Content of the requests, in order. */
  readonly asked: string[];
  /** Its behaviour on every line. */
  readonly manners: Manners;
  /** Applies a failure to the first matching request, once. */
  fail(pattern: RegExp, how: Failure): void;
  /** Number of open connections. */
  connections(): number;
  close(): void;
}

export interface Manners {
  /** Echoes input, even in XML mode. */
  echo: boolean;
  /** Prints log messages before, within and after responses. */
  messages: boolean;
  /** Packet size in bytes. */
  packet: number;
  /** Response to the command `xml` instead of starting the agent. */
  withoutAgent: string;
}

/**
 * `drop` closes the connection before the request, `cut` after it; `leave` answers with the CLI prompt;
 * `silent` never answers; `endless` never stops; a text replaces the response.
 */
export type Failure =
  | "drop"
  | "cut"
  | "leave"
  | "silent"
  | "endless"
  /** The same, with its prompt in each piece. */
  | "prompts"
  | { readonly say: string }
  | { readonly meanwhile: () => void };

const commandPrompt = "RP/0/RSP0/CPU0:R1#";
const agentPrompt = "XML> ";
const message =
  "RP/0/RSP0/CPU0:Nov 22 12:00:00.000 UTC: config[65710]: %MGBL-SYS-5-CONFIG_I : Configured by somebody\n";

export async function startRouter({ password }: { readonly password: string }): Promise<Router> {
  const state = createRouterState();
  const asked: string[] = [];
  const failures: { pattern: RegExp; how: Failure }[] = [];
  const manners: Manners = {
    echo: false,
    messages: false,
    packet: Number.POSITIVE_INFINITY,
    withoutAgent: "",
  };
  const clients = new Set<Connection>();

  function answer(request: XmlElement, session: CandidateSession): string {
    const parts = request.children.map((element) => {
      try {
        return run(element, session);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return `<${element.name} ErrorCode="${error.code}" ErrorMsg="${escapeXml(error.message)}"/>`;
      }
    });
    const errors = parts.filter((part) => part.includes("ErrorCode=")).length;
    return `<?xml version="1.0" encoding="UTF-8"?>\n<Response MajorVersion="1" MinorVersion="0">\n${parts.join("\n")}\n<ResultSummary ErrorCount="${errors}"/></Response>\n`;
  }

  function run(element: XmlElement, session: CandidateSession): string {
    const { name } = element;
    if (name === "Lock") session.lock();
    else if (name === "Unlock") session.unlock();
    else if (name === "Clear") session.clear();
    else if (name === "Rollback") session.rollback();
    else if (name === "Commit") {
      const confirmed = element.attribute("Confirmed");
      const id = session.commit({
        replace: element.attribute("Replace") === "true",
        comment: element.attribute("Comment") ?? "",
        ...(confirmed === undefined ? {} : { confirmed: Number(confirmed) }),
      });
      return `<Commit CommitID="${id}"/>`;
    } else if (name === "CLI") {
      const exec = element.find("Exec");
      const said =
        exec === undefined
          ? session.configuration(element.find("Configuration")?.text ?? "")
          : show(exec.text);
      const mode = exec === undefined ? "Configuration" : "Exec";
      return `<CLI><${mode}>\n${escapeXml(said)}\n</${mode}></CLI>`;
    } else throw new Refused("0x43679000", `'XMLMDA' detected the 'warning' condition: <${name}>`);
    return `<${name}/>`;
  }

  function show(command: string): string {
    if (command === "show clock") return "12:00:00.000 UTC Sun Nov 22 2026";
    return `${command}\n  ^\n% Invalid input detected at '^' marker.`;
  }

  function serveShell(channel: ServerChannel, client: Connection): void {
    const session = state.open();
    let inAgent = false;
    let pending = "";
    let sent: Promise<void> = Promise.resolve();
    const write = (text: string) => {
      const bytes = Buffer.from(text.replaceAll("\n", "\r\n"));
      sent = sent.then(async () => {
        for (let at = 0; at < bytes.length; at += manners.packet) {
          if (!channel.writable) return;
          channel.write(bytes.subarray(at, at + manners.packet));
          if (manners.packet < bytes.length) await pause(1);
        }
      });
    };
    channel.on("close", () => session.end());
    write(`\nWelcome # to > R1\n${commandPrompt}`);

    async function request(text: string): Promise<void> {
      const inside = /<Request[^>]*>([\s\S]*)<\/Request>/.exec(text)?.[1] ?? "";
      asked.push(inside);
      const at = failures.findIndex(({ pattern }) => pattern.test(inside));
      const [failure] = at < 0 ? [] : failures.splice(at, 1);
      const how = failure?.how;
      await pause(15);
      if (how === "drop") return void client.end();
      if (how === "silent") return;
      if (how === "endless") return floodTo(channel);
      if (how === "prompts") return floodTo(channel, `${"x".repeat(8_000)}\n${agentPrompt}`);
      if (how === "leave") {
        inAgent = false;
        session.end();
        return write(commandPrompt);
      }
      if (typeof how === "object" && "say" in how) return write(`${how.say}${agentPrompt}`);
      const said = answer(parseXml(text), session);
      if (typeof how === "object") how.meanwhile();
      if (how === "cut") return void client.end();
      write(
        manners.messages
          ? `${message}${said.replace("<ResultSummary", `\n${message}<ResultSummary`)}${message}${agentPrompt}`
          : said + agentPrompt,
      );
    }

    function line(text: string): void {
      const isAgent = text.trim() === "xml" && manners.withoutAgent === "";
      const said = text.trim() === "xml" ? manners.withoutAgent : text.trim() === "" ? "" : "% Invalid input";
      inAgent = isAgent;
      write(`${text}\n${said === "" ? "" : `${said}\n`}${isAgent ? agentPrompt : commandPrompt}`);
    }

    channel.on("data", (chunk: Buffer) => {
      pending += chunk.toString("utf8").replaceAll("\r", "\n");
      if (inAgent && manners.echo) write(chunk.toString("utf8"));
      while (!inAgent && pending.includes("\n")) {
        const end = pending.indexOf("\n");
        const text = pending.slice(0, end);
        pending = pending.slice(end + 1);
        line(text);
      }
      for (
        let end = pending.indexOf("</Request>");
        inAgent && end >= 0;
        end = pending.indexOf("</Request>")
      ) {
        const text = pending.slice(0, end + "</Request>".length);
        pending = pending.slice(end + "</Request>".length).replace(/^\n/, "");
        void request(text);
      }
    });
  }

  const server = new SshServer({ hostKeys: [makeKeyPair().private] }, (client) => {
    clients.add(client);
    client.on("error", () => {});
    client.on("close", () => clients.delete(client));
    client.on("authentication", (request) =>
      request.method === "password" && request.password === password
        ? request.accept()
        : request.reject(["password"]),
    );
    client.on("session", (accept) => {
      const session = accept();
      session.on("pty", (accepted) => accepted?.());
      session.on("shell", (accepted) => serveShell(accepted(), client));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    asked,
    manners,
    fail: (pattern: RegExp, how: Failure) => void failures.push({ pattern, how }),
    connections: () => clients.size,
    close() {
      server.close();
      for (const client of clients) client.end();
    },
  });
}

/** An endless response, up to 100 MB, as fast as it is read. */
const entries = `<Entry>${"x".repeat(65_536)}</Entry>\n`;

async function floodTo(channel: ServerChannel, piece = entries): Promise<void> {
  channel.write('<Response MajorVersion="1" MinorVersion="0"><Get>\n');
  let goOn = () => {};
  channel.on("drain", () => goOn());
  channel.on("close", () => goOn());
  for (let sent = 0; sent < 1600 && channel.writable; sent++) {
    if (channel.write(piece)) continue;
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
  }
}
