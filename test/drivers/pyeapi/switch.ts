/** An EOS switch behind eAPI: users, privileges, a running configuration, sessions; it answers with a delay. */
import { randomBytes } from "node:crypto";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import * as v from "valibot";
import { pause } from "../../../src/base/time/deadline.ts";
import { shows } from "./shows.ts";

export interface SwitchOptions {
  readonly password: string;
  readonly enable?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly thinkMs?: number;
  /** Default: 127.0.0.1, and any port. */
  readonly host?: string;
  readonly port?: number;
  /** Duration of a minute of its timer. */
  readonly minuteMs?: number;
}

export interface Switch {
  readonly port: number;
  readonly running: string[];
  readonly startup: string[];
  readonly sessions: Map<string, string[]>;
  /** Command lists received, including `enable`. */
  readonly asked: unknown[][];
  /** Requested versions of the structures, per list. */
  readonly versions: unknown[];
  connections(): number;
  /** Number of open sockets. */
  sockets(): number;
  /** Replaces eAPI's response to the next request. */
  answerWith(answer: ((response: ServerResponse) => void) | undefined): void;
  /** Sets the trouble for all following lists. */
  meet(trouble: Trouble | undefined): void;
  /** Logins without logout; `forget` ends them all, as a restart of the agent does. */
  readonly logins: { readonly count: number; forget(): void };
  /** Commands that the login may not run. */
  readonly denied: Set<string>;
  /** Whether to answer all lists with 401. */
  refuse(all: boolean): void;
  /** Closes idle connections. */
  hangUp(): void;
  close(): void;
}

/** Applies to the commands after `enable`; `lose` closes the connection while the switch continues. */
export interface Trouble {
  before?(cmds: readonly string[]): Promise<"go on" | "lose">;
  after?(cmds: readonly string[]): Promise<"go on" | "lose">;
}

const command = v.union([v.string(), v.object({ cmd: v.string(), input: v.string() })]);
const call = v.object({
  params: v.object({
    cmds: v.array(command),
    format: v.picklist(["json", "text"]),
    version: v.union([v.literal("latest"), v.number()]),
  }),
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

const ports = ["Ethernet10", "Ethernet1", "Ethernet2", "Ethernet2.7", "Management1"];

const invalid = (text: string) => new Refused(1002, `Invalid input (at token 0: '${text.split(" ")[0]}')`);

export async function startSwitch(options: SwitchOptions): Promise<Switch> {
  const { password, enable, thinkMs = 15, host = "127.0.0.1", port = 0, minuteMs = 60_000 } = options;
  const running = ["hostname sw1"];
  const startup = [...running];
  const denied = new Set<string>();
  const sessions = new Map<string, string[]>();
  /** The commit whose timer is running. */
  let waiting:
    | { readonly name: string; readonly before: string[]; timer: ReturnType<typeof setTimeout> }
    | undefined;
  const asked: unknown[][] = [];
  const versions: unknown[] = [];
  let connections = 0;
  let instead: ((response: ServerResponse) => void) | undefined;
  let trouble: Trouble | undefined;
  let refusing = false;
  const cookies = new Set<string>();

  function takeBack(): void {
    if (waiting !== undefined) running.splice(0, running.length, ...waiting.before);
    endTimer();
  }

  function timerOf(cmd: string): ReturnType<typeof setTimeout> {
    const [, hours, minutes] = /timer (\d\d):(\d\d):/.exec(cmd) ?? [];
    return setTimeout(takeBack, (Number(hours) * 60 + Number(minutes)) * minuteMs).unref();
  }

  function endTimer(): void {
    clearTimeout(waiting?.timer);
    waiting = undefined;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += chunk;
    await pause(thinkMs);
    if (instead) return instead(response);
    if (request.url === "/login") return login(body, response);
    const cookie = request.headers.cookie ?? "";
    if (request.url === "/logout") {
      cookies.delete(cookie);
      return void response.end("{}");
    }
    const basic = `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`;
    const authorized = request.headers.authorization === basic || cookies.has(cookie);
    if (refusing || !authorized) return void response.writeHead(401).end("Unauthorized");
    const { cmds, format, version } = v.parse(call, JSON.parse(body)).params;
    asked.push(cmds);
    versions.push(version);
    const texts = cmds.map((entry) => (typeof entry === "string" ? entry : entry.cmd)).slice(1);
    if ((await trouble?.before?.(texts)) === "lose") return void response.socket?.destroy();
    const results = run(cmds, format);
    if ((await trouble?.after?.(texts)) === "lose") return void response.socket?.destroy();
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: "patchbay", ...results }));
  }

  function login(body: string, response: ServerResponse): void {
    if (JSON.parse(body).password !== password) return void response.writeHead(401).end("{}");
    const cookie = `Session=${randomBytes(8).toString("hex")}`;
    cookies.add(cookie);
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

  /** A list of commands is a login. */
  function createShell() {
    let privileged = false;
    let into: string[] | undefined;
    let session = "";
    return (cmd: string, input: string, format: "json" | "text"): unknown => {
      if (denied.has(cmd)) throw new Refused(1005, "Authorization denied for command");
      const resultOf = (text: string) => (format === "text" ? { output: text } : {});
      if (cmd === "enable") {
        if (enable !== undefined && input !== enable) throw new Refused(1005, "Bad secret");
        privileged = true;
        return resultOf("");
      }
      const name = /^configure session (\S+)(?: (commit(?: timer \S+)?|abort))?$/.exec(cmd);
      if (!privileged && /^(configure|write)/.test(cmd)) throw new Refused(1005, "Privileged mode required");
      if (name?.[1] !== undefined) {
        session = name[1];
        if (waiting?.name === session && name[2] !== undefined) {
          if (name[2] === "abort") takeBack();
          else if (name[2] === "commit") endTimer();
          else {
            clearTimeout(waiting.timer);
            waiting.timer = timerOf(name[2]);
          }
          return resultOf("");
        }
        if (name[2] !== undefined && !sessions.has(session))
          throw new Refused(1000, `Session ${session} does not exist`);
        if (name[2] === "commit") return commit(resultOf);
        if (name[2] === "abort") {
          sessions.delete(session);
          return resultOf("");
        }
        into = sessions.get(session) ?? [];
        sessions.set(session, into);
        return resultOf("");
      }
      if (cmd === "configure") into = running;
      else if (cmd === "end") into = undefined;
      else if (cmd === "abort") sessions.delete(session);
      else if (/^commit(?: timer \d\d:\d\d:\d\d)?$/.test(cmd)) return commit(resultOf, cmd);
      else if (cmd === "write memory") startup.splice(0, startup.length, ...running);
      else if (cmd === "show session-config diffs")
        return { output: (into ?? []).map((line) => `+${line}\n`).join("") };
      else if (into !== undefined) {
        if (/bogus/.test(cmd)) throw invalid(cmd);
        into.push(input === "" ? cmd : `${cmd}\n${input}\nEOF`);
      } else return show(cmd, format);
      return resultOf("");
    };

    function commit(told: (text: string) => object, cmd = ""): object {
      if (cmd.includes(" timer ")) {
        waiting = { name: session, before: [...running], timer: timerOf(cmd) };
      }
      running.push(...(sessions.get(session) ?? []));
      sessions.delete(session);
      return told("");
    }
  }

  function show(cmd: string, format: "json" | "text"): unknown {
    const facts = {
      version: "4.31.1F",
      internalVersion: "4.31.1F-1",
      modelName: "cEOSLab",
      serialNumber: "SN1",
      bootupTimestamp: 1_700_000_000,
    };
    if (cmd === "show version")
      return format === "json" ? facts : { output: "Arista cEOSLab\nEOS 4.31.1F\n" };
    if (cmd === "show interfaces")
      return { interfaces: Object.fromEntries(ports.map((name) => [name, { name }])) };
    const shown = shows[cmd];
    if (shown !== undefined) return shown;
    if (/^show configuration sessions/.test(cmd)) {
      const listed = [...sessions.keys()].map((name) => [name, { state: "pending", instances: {} }]);
      return { maxOpenSessions: 5, sessions: Object.fromEntries(listed) };
    }
    if (cmd === "show running-config" && format === "text")
      return { output: `! Command: show running-config\n${running.join("\n")}\nend\n` };
    if (cmd === "show startup-config" && format === "text")
      return { output: `! Command: show startup-config\n${startup.join("\n")}\nend\n` };
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
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    running,
    startup,
    denied,
    sessions,
    asked,
    versions,
    connections: () => connections,
    sockets: () => open.size,
    answerWith(answer) {
      instead = answer;
    },
    meet(met) {
      trouble = met;
    },
    refuse(all) {
      refusing = all;
    },
    hangUp: () => server.closeIdleConnections(),
    logins: {
      get count() {
        return cookies.size;
      },
      forget: () => cookies.clear(),
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
