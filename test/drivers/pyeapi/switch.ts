/** An EOS switch behind eAPI: users, privileges, a running configuration, sessions; it thinks before it answers. */
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { pause } from "../../../src/base/deadline.ts";

export interface SwitchOptions {
  readonly password: string;
  readonly enable?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly thinkMs?: number;
}

export interface Switch {
  readonly port: number;
  readonly running: string[];
  readonly startup: string[];
  readonly sessions: Map<string, string[]>;
  /** Lists of commands it was given, `enable` included. */
  readonly asked: unknown[][];
  connections(): number;
  /** What the next request is answered with in place of eAPI. */
  answerWith(answer: ((response: ServerResponse) => void) | undefined): void;
  close(): void;
}

const command = v.union([v.string(), v.object({ cmd: v.string(), input: v.string() })]);
const call = v.object({
  params: v.object({ cmds: v.array(command), format: v.picklist(["json", "text"]) }),
});
type Command = v.InferOutput<typeof command>;

class Refused extends Error {
  constructor(
    readonly code: number,
    readonly said: string,
  ) {
    super(said);
  }
}

const invalid = (text: string) => new Refused(1002, `Invalid input (at token 0: '${text.split(" ")[0]}')`);

export async function startSwitch(options: SwitchOptions): Promise<Switch> {
  const { password, enable, thinkMs = 15 } = options;
  const running = ["hostname sw1"];
  const startup = [...running];
  const sessions = new Map<string, string[]>();
  const asked: unknown[][] = [];
  let connections = 0;
  let instead: ((response: ServerResponse) => void) | undefined;
  const cookie = "Session=0123456789";

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += chunk;
    await pause(thinkMs);
    if (instead) return instead(response);
    if (request.url === "/login") return login(body, response);
    const basic = `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`;
    const authorized = request.headers.authorization === basic || request.headers.cookie === cookie;
    if (!authorized) return void response.writeHead(401).end("Unauthorized");
    const { cmds, format } = v.parse(call, JSON.parse(body)).params;
    asked.push(cmds);
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: "patchbay", ...run(cmds, format) }));
  }

  function login(body: string, response: ServerResponse): void {
    if (JSON.parse(body).password !== password) return void response.writeHead(401).end("{}");
    response.setHeader("Set-Cookie", `${cookie}; Path=/; HttpOnly`);
    response.end('{"Username": "admin"}');
  }

  function run(cmds: readonly Command[], format: "json" | "text") {
    const results: unknown[] = [];
    const shell = createShell();
    for (const [at, entry] of cmds.entries()) {
      const { cmd, input } = typeof entry === "string" ? { cmd: entry, input: "" } : entry;
      try {
        results.push(shell(cmd, input, format));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        const message = `CLI command ${at + 1} of ${cmds.length} '${cmd}' failed: could not run command`;
        return { error: { code: error.code, message, data: [...results, { errors: [error.said] }] } };
      }
    }
    return { result: results };
  }

  /** One list of commands is one login. */
  function createShell() {
    let privileged = false;
    let into: string[] | undefined;
    let session = "";
    return (cmd: string, input: string, format: "json" | "text"): unknown => {
      const told = (text: string) => (format === "text" ? { output: text } : {});
      if (cmd === "enable") {
        if (enable !== undefined && input !== enable) throw new Refused(1005, "Bad secret");
        privileged = true;
        return told("");
      }
      const name = /^configure session (\S+)(?: (commit))?$/.exec(cmd);
      if (!privileged && /^(configure|write)/.test(cmd)) throw new Refused(1005, "Privileged mode required");
      if (name?.[1] !== undefined) {
        session = name[1];
        if (name[2] === "commit") return commit(told);
        into = sessions.get(session) ?? [];
        sessions.set(session, into);
        return told("");
      }
      if (cmd === "configure") into = running;
      else if (cmd === "end") into = undefined;
      else if (cmd === "abort") sessions.delete(session);
      else if (/^commit(?: timer \d\d:\d\d:\d\d)?$/.test(cmd)) return commit(told);
      else if (cmd === "write memory") startup.splice(0, startup.length, ...running);
      else if (cmd === "show session-config diffs")
        return { output: (into ?? []).map((line) => `+${line}\n`).join("") };
      else if (into !== undefined) {
        if (/bogus/.test(cmd)) throw invalid(cmd);
        into.push(input === "" ? cmd : `${cmd}\n${input}\nEOF`);
      } else return show(cmd, format);
      return told("");
    };

    function commit(told: (text: string) => object): object {
      running.push(...(sessions.get(session) ?? []));
      sessions.delete(session);
      return told("");
    }
  }

  function show(cmd: string, format: "json" | "text"): unknown {
    const facts = { version: "4.31.1F", modelName: "cEOSLab", serialNumber: "SN1" };
    if (cmd === "show version")
      return format === "json" ? facts : { output: "Arista cEOSLab\nEOS 4.31.1F\n" };
    if (cmd === "show hostname") return { hostname: "sw1", fqdn: "sw1.test" };
    if (cmd === "show clock text") {
      if (format === "json") throw new Refused(1003, "Command cannot be used with JSON output");
      return { output: "Sun Nov 22 08:00:00 2026\n" };
    }
    throw invalid(cmd);
  }

  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void serve(request, response).catch((error) => response.writeHead(500).end(String(error)));
  const server = options.tls ? createHttps(options.tls, listener) : createHttp(listener);
  server.on(options.tls ? "secureConnection" : "connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    running,
    startup,
    sessions,
    asked,
    connections: () => connections,
    answerWith(answer) {
      instead = answer;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
