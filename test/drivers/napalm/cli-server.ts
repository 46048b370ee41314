/** A device's CLI over real SSH: echo, delays, fragmented output, questions, and files by SCP. */
import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import { pause } from "../../../src/base/time/deadline.ts";
import { type Connection, Server, type ServerChannel } from "../../../src/device/ssh/ssh2.ts";
import { makeKeyPair } from "../../../src/testkit/simulator/hostkey.ts";
import { password } from "./open.ts";

export interface TypedLine {
  readonly text: string;
  /** Asks a question; returns the reply. */
  ask(question: string): Promise<string>;
}

/** One login. */
export interface Shell {
  prompt(): string;
  /** The response to a line; undefined ends the session. */
  enter(line: TypedLine): Promise<string>;
}

export interface CliDevice {
  login(): Shell;
  /** Receives a file by SCP; returns an error message to refuse it. */
  receive?(path: string, content: Buffer): string | undefined;
}

/** `drop`: the connection is closed before the line is processed; `cut`: afterwards. */
export interface Failure {
  readonly pattern: RegExp;
  readonly how: "drop" | "cut" | { readonly meanwhile: () => void };
}

export interface CliServer {
  readonly port: number;
  /** Lines of all sessions, in order. */
  readonly typed: string[];
  /** Applies a failure to the first matching line, once. */
  fail(pattern: RegExp, how: Failure["how"]): void;
  sessions(): number;
  close(): void;
}

/** Delay between a line and its answer; real devices take 15 to 800 ms. */
const thinkMs = 15;

export async function startCliServer(device: CliDevice): Promise<CliServer> {
  const typed: string[] = [];
  const failures: Failure[] = [];
  const clients = new Set<Connection>();
  const server = new Server({ hostKeys: [makeKeyPair().private] }, (client) => {
    clients.add(client);
    client.on("error", () => {});
    client.on("close", () => clients.delete(client));
    client.on("authentication", (request) => {
      if (request.method === "password" && request.password === password) request.accept();
      else request.reject(["password"]);
    });
    client.on("session", (accept) => {
      const session = accept();
      session.on("pty", (accepted) => accepted?.());
      session.on("shell", (accepted) => void serve(accepted(), client));
      session.on("exec", (accepted, _rejected, { command }) => sink(accepted(), command, device));
    });
  });

  async function serve(channel: ServerChannel, client: Connection): Promise<void> {
    const shell = device.login();
    const lines = linesOf(channel);
    const next = async () => (await lines.next()).value;
    channel.write(shell.prompt());
    for (let text = await next(); text !== undefined; text = await next()) {
      typed.push(text);
      const at = failures.findIndex(({ pattern }) => pattern.test(text ?? ""));
      const how = at < 0 ? undefined : failures.splice(at, 1)[0]?.how;
      if (how === "drop") return void client.end();
      if (typeof how === "object") how.meanwhile();
      await pause(thinkMs);
      const ask = async (question: string) => {
        channel.write(question);
        const reply = await next();
        return reply ?? "";
      };
      const said = await shell.enter({ text, ask });
      if (how === "cut") return void client.end();
      await sayInPieces(channel, said === "" ? "" : `${said.replaceAll("\n", "\r\n")}\r\n`);
      channel.write(shell.prompt());
    }
  }

  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    port: (server.address() as AddressInfo).port,
    typed,
    fail: (pattern, how) => void failures.push({ pattern, how }),
    sessions: () => clients.size,
    close() {
      for (const client of clients) client.end();
      server.close();
    },
  };
}

/** Yields input lines and echoes them. */
async function* linesOf(channel: ServerChannel): AsyncGenerator<string, undefined> {
  let rest = "";
  try {
    for await (const chunk of channel) {
      const text = String(chunk).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
      channel.write(text.replaceAll("\n", "\r\n"));
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      yield* parts;
    }
  } catch {
    // The peer closed the connection.
  }
  return undefined;
}

/** Packets may end anywhere. */
async function sayInPieces(channel: ServerChannel, text: string): Promise<void> {
  const middle = Math.floor(text.length / 3);
  if (middle > 0) {
    channel.write(text.slice(0, middle));
    await pause(1);
  }
  channel.write(text.slice(middle));
}

/** `scp -t`: one file. */
function sink(channel: ServerChannel, command: string, device: CliDevice): void {
  const path = command.replace(/^scp -t /, "").replace(/^'|'$/g, "");
  const end = (status: number) => {
    channel.exit(status);
    channel.end();
  };
  if (device.receive === undefined || path === command) {
    channel.write("\x01scp: refused\n");
    end(1);
    return;
  }
  let received = Buffer.alloc(0);
  let size: number | undefined;
  channel.write("\0");
  channel.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (size === undefined && received.includes(0x0a)) {
      const head = received.subarray(0, received.indexOf(0x0a)).toString();
      received = received.subarray(head.length + 1);
      size = Number(head.split(" ")[1]);
      channel.write("\0");
    }
    if (size === undefined || received.length <= size) return;
    const refusal = device.receive?.(path, received.subarray(0, size));
    channel.write(refusal === undefined ? "\0" : `\x01${refusal}\n`);
    end(refusal === undefined ? 0 : 1);
  });
}

export const md5Of = (content: string) => createHash("md5").update(content).digest("hex");
