/** Simulated devices that speak real SSH or Telnet on loopback: for the demo, tests, benchmarks and plugin authors. */

import { createServer } from "node:net";
import { joinWrites } from "../../base/net/join-writes.ts";
import { modesOf, twinRules, writtenRules } from "../../configtext/rules.ts";
import { type Connection, Server, type ServerChannel } from "../../device/ssh/ssh2.ts";
import type { PlatformPlugin } from "../../plugin/platform.ts";
import { createTwin, type Twin } from "../../twin/twin.ts";
import { loadAnswers, loadOwnAnswers } from "./answers.ts";
import { createDevice, type Device, type Shows, type TerminalSession } from "./device.ts";
import { type Faults, type PromptShows, withFaults } from "./faults.ts";
import { receiveFile, type SystemOptions } from "./flash.ts";
import { makeKeyPair } from "./hostkey.ts";
import type { Attachment, Line } from "./line.ts";
import { type Listening, type ListenOptions, listenOn } from "./listener.ts";
import { listenTelnet } from "./servers/telnet.ts";
import { createTerminal } from "./terminal/terminal.ts";
import { createTerminalSession } from "./terminal/terminal-session.ts";
import { type Thinking, thinkingMs } from "./terminal/thinking.ts";

export interface SimulatorOptions {
  readonly platform: PlatformPlugin;
  readonly host?: string;
  /** 0 selects a free port. */
  readonly port?: number;
  readonly transport?: "ssh" | "telnet";
  readonly username?: string;
  readonly password?: string;
  /** Enable password; empty: the device asks for none. */
  readonly secret?: string;
  readonly hostname?: string;
  /** Folder of transcripts. */
  readonly transcripts?: string | undefined;
  /** Round-trip time. */
  readonly latencyMs?: number;
  /** Processing time between the typed line end, which is echoed at once, and the answer. */
  readonly thinking?: Thinking;
  /** Simulated length of a minute of its timers. */
  readonly minuteMs?: number;
  readonly banner?: string;
  readonly rows?: number;
  readonly faults?: Faults;
  /** What the prompt shows behind the host name, and what changes by itself. */
  readonly promptShows?: PromptShows;
  /** What commands answer that depends on the running configuration, which they are given. */
  readonly shows?: Shows;
  /** A line of the configuration takes the place of the one with the same match: `/^neighbor \S+ remote-as/`. */
  readonly replaces?: RegExp;
  /**
   * The configuration of a real device, whose twin it is: recorded answers of its platform, which are of another device,
   * are left out. Only where {@link hasTwins} says so.
   */
  readonly configuration?: string | undefined;
  /** Private host key in OpenSSH format; default: a new one. */
  readonly hostKey?: string | undefined;
  /** It has files that arrive by SCP, reloads, and its login follows its configuration. */
  readonly system?: SystemOptions;
}

export interface EnteredLine {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly session: number;
  readonly line: string;
}

export interface Simulator {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly secret: string;
  readonly device: Device;
  /** Every entered line, in order. */
  readonly entered: readonly EnteredLine[];
  /** Logins so far. */
  connections(): number;
  /** Sessions open now. */
  sessions(): number;
  stop(): Promise<void>;
}

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const {
    platform,
    username = "admin",
    password = "admin",
    secret = "enable",
    latencyMs = 0,
    thinking = 0,
    faults = {},
  } = options;
  const twin = options.configuration === undefined ? undefined : twinOf(platform, options.configuration);
  const device = createDevice({
    platform,
    hostname: options.hostname ?? "R1",
    secret,
    answers:
      twin === undefined
        ? loadAnswers(options.platform, options.transcripts)
        : loadOwnAnswers(options.transcripts),
    ...(twin === undefined ? {} : { twin }),
    ...(options.shows === undefined ? {} : { shows: options.shows }),
    ...(options.minuteMs === undefined ? {} : { minuteMs: options.minuteMs }),
    ...(options.replaces === undefined ? {} : { replaces: options.replaces }),
    ...(options.system === undefined ? {} : { system: options.system }),
  });
  const entered: EnteredLine[] = [];
  let connections = 0;
  let open = 0;

  function attach(line: Line): Attachment {
    const session = ++connections;
    open++;
    const out = withFaults(line, faults, latencyMs);
    const terminal = createTerminal({
      platform,
      session: withShown(createTerminalSession(device), device, options.promptShows),
      rows: options.rows ?? 24,
      thinking,
      write: out.write,
      entered: (text) => void entered.push({ at: performance.now(), session, line: text }),
      close: out.close,
    });
    terminal.start(options.banner ?? "");
    return {
      type: terminal.type,
      closed() {
        terminal.stop();
        open--;
      },
    };
  }

  let upAt = 0;
  const receive = (channel: ServerChannel, command: string) => {
    if (device.system && options.system) receiveFile(channel, command, device.system, options.system);
  };
  const listen = options.transport === "telnet" ? listenTelnet : listenSsh;
  const server = await listen({
    host: options.host ?? "127.0.0.1",
    port: options.port ?? 0,
    username: accountOf(platform, username, options.transport),
    get password() {
      return (options.system && passwordIn(device.configuration.lines(), username)) ?? password;
    },
    faults,
    thinking,
    hostKey: options.hostKey,
    attach,
    ...(device.system === undefined || options.system === undefined
      ? {}
      : { isDown: () => performance.now() < upAt, receive }),
  });
  device.onRestart = () => {
    upAt = performance.now() + (options.system?.reloadMs ?? 0);
    server.hangUp();
  };
  return {
    port: server.port,
    username,
    password,
    secret,
    device,
    entered,
    connections: () => connections,
    sessions: () => open,
    stop: server.stop,
  };
}

/** Whether it is known how lines change a configuration of the system. */
export function hasTwins({ running }: PlatformPlugin): boolean {
  return running?.negate !== undefined && running.files === undefined;
}

function twinOf(platform: PlatformPlugin, configuration: string): Twin {
  return createTwin(configuration, twinRules(writtenRules(platform), modesOf(platform)));
}

/** `R1:17#`, `R1:10:42:07#`. */
function withShown(
  session: TerminalSession,
  device: Device,
  shows: PromptShows | undefined,
): TerminalSession {
  if (shows === undefined) return session;
  let commands = 0;
  const shown = () => (shows === "counter" ? ++commands : new Date().toISOString().slice(11, 19));
  return {
    ...session,
    prompt: () => session.prompt().replace(device.hostname, (name) => `${name}:${shown()}`),
  };
}

/** The last one that is written in clear. */
function passwordIn(lines: readonly string[], username: string): string | undefined {
  return lines
    .flatMap((line) => {
      const [, name, secret] =
        /^username (\S+)(?: privilege \d+)? (?:secret|password)(?: 0)? (\S+)$/.exec(line) ?? [];
      return name === username && secret !== undefined ? [secret] : [];
    })
    .at(-1);
}

/** The username as the driver sends it: the platform's account applies to SSH only. */
function accountOf(
  { loginAs }: PlatformPlugin,
  username: string,
  transport: SimulatorOptions["transport"],
): string {
  if (loginAs === undefined || (transport === "telnet" && !loginAs.includes("{username}"))) return username;
  return loginAs.replaceAll("{username}", username);
}

/** The SSH server of a simulated device. */
async function listenSsh(options: ListenOptions): Promise<Listening> {
  const { faults } = options;
  const clients = new Set<Connection>();
  const serve = (client: Connection) => {
    clients.add(client);
    client.on("error", () => {
      // The client cut the connection, which a device ignores.
    });
    client.on("close", () => clients.delete(client));
    client.on("authentication", (request) => {
      if (faults.silentAt === "auth") return;
      const right =
        request.method === "password" &&
        request.username === options.username &&
        request.password === options.password;
      const verdict = () => {
        if (!clients.has(client)) return;
        if (right) request.accept();
        else request.reject(["password"]);
      };
      const ms = thinkingMs(options.thinking, "login");
      if (ms === 0 || request.method !== "password") verdict();
      else setTimeout(verdict, ms);
    });
    client.on("session", (accept) => {
      const session = accept();
      const { receive } = options;
      if (receive) session.on("exec", (accepted, _, { command }) => receive(accepted(), command));
      session.on("pty", (accepted) => accepted?.());
      session.on("window-change", (accepted) => accepted?.());
      session.on("shell", (accepted) => {
        if (faults.silentAt !== "shell") serveShell(accepted(), client, options);
      });
    });
  };
  const withKey = (hostKey: string) => new Server({ hostKeys: [hostKey] }, serve);
  const first = withKey(options.hostKey ?? makeKeyPair().private);
  const replaced = faults.newKeyAt === undefined ? undefined : withKey(makeKeyPair().private);
  let logins = 0;
  const server = createServer((socket) => {
    if (options.isDown?.() === true) {
      socket.destroy();
      return;
    }
    const late = faults.newKeyAt !== undefined && ++logins >= faults.newKeyAt;
    joinWrites(socket);
    (late && replaced ? replaced : first).injectSocket(socket);
  });
  return listenOn(server, options, () => {
    for (const client of clients) client.end();
  });
}

function serveShell(channel: ServerChannel, client: Connection, options: ListenOptions): void {
  let open = true;
  const attached = options.attach({
    write(text) {
      if (open) channel.write(text);
    },
    close() {
      channel.exit(0);
      channel.end();
      client.end();
    },
  });
  channel.on("data", (chunk: Buffer) => attached.type(chunk.toString("utf8")));
  channel.on("close", () => {
    open = false;
    attached.closed();
  });
}
