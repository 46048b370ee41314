/** The floor: a bare ssh2 client that waits for a prompt and knows nothing of platforms, levels, errors or limits. */
import { Client, type ClientChannel } from "../../src/ssh/ssh2.ts";

export interface FloorTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

export interface FloorSession {
  send(command: string): Promise<string>;
  close(): void;
}

export async function openFloor(target: FloorTarget): Promise<FloorSession> {
  const client = new Client();
  const channel = await new Promise<ClientChannel>((resolve, reject) => {
    client.on("error", reject);
    client.on("ready", () => client.shell((error, stream) => (error ? reject(error) : resolve(stream))));
    client.connect({ ...target, authHandler: ["password"] });
  });
  client.setNoDelay(true);
  let text = "";
  let waiting: ((output: string) => void) | undefined;
  channel.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    if (!/[\w.-]+[>#] ?$/.test(text.slice(-80)) || !waiting) return;
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
  return { send, close: () => client.end() };
}
