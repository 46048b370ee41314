/** The floor: a bare ssh2 client that waits for a prompt and knows no platforms, levels, errors or limits. */
import { Client, type ClientChannel } from "../../../src/device/ssh/ssh2.ts";

import { type BenchClient, login } from "./rows.ts";

export interface FloorTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

export interface FloorSession {
  send(command: string): Promise<string>;
  /** Sends many commands in one write; done after as many prompts. */
  sendAll(commands: string[]): Promise<string>;
  close(): Promise<void>;
}

export async function openFloor(target: FloorTarget): Promise<FloorSession> {
  const client = new Client();
  const channel = await new Promise<ClientChannel>((resolve, reject) => {
    client.on("error", reject);
    client.on("ready", () => client.shell((error, stream) => (error ? reject(error) : resolve(stream))));
    client.connect({ ...target, authHandler: ["password"], readyTimeout: 120_000 });
  });
  client.setNoDelay(true);
  let text = "";
  let prompts = 1;
  let waiting: ((output: string) => void) | undefined;
  channel.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    if (!/[\w.()-]+[>#] ?$/.test(text.slice(-80)) || !waiting) return;
    if (prompts > 1 && (text.match(/^[\w.()-]+#/gm)?.length ?? 0) < prompts) return;
    prompts = 1;
    const done = waiting;
    const output = text;
    waiting = undefined;
    text = "";
    done(output);
  });
  const prompt = () => new Promise<string>((resolve) => (waiting = resolve));
  await prompt();
  const send = (command: string) => {
    const answer = prompt();
    channel.write(`${command}\n`);
    return answer;
  };
  await send("enable");
  await send("terminal width 511\nterminal length 0");
  return {
    send,
    async sendAll(commands) {
      prompts = commands.length;
      const answer = prompt();
      channel.write(`${commands.join("\n")}\n`);
      return answer;
    },
    close: () =>
      new Promise((done) => {
        client.on("close", () => done());
        client.end();
      }),
  };
}

/** @param pushing line by line as a careful client does, or all in one write. */
export function floorClient(port: number, pushing: "lines" | "one write"): BenchClient {
  return {
    async open(host) {
      const session = await openFloor({ host, port, ...login });
      return {
        show: session.send,
        async push(lines) {
          await session.send("configure terminal");
          if (pushing === "lines") for (const line of lines) await session.send(line);
          else await session.sendAll(lines);
          await session.send("end");
        },
        close: session.close,
      };
    },
  };
}
