/** A router with a line editor that is late: before it reads a line it may stall and repeat its prompt. */
import { type FakeStream, fakeStream } from "./fake-stream.ts";

/** What happens at the prompt before the next line is read. */
export interface Lateness {
  /** Silence before the echo. */
  readonly stallMs: number;
  /** How often the prompt is repeated before the echo, half of the silence before and half after it. */
  readonly repeats: number;
  /** Silence between the echo and the answer. */
  readonly thinksMs: number;
}

export interface LateOptions {
  /** One entry per line that it reads, repeated. */
  readonly late: readonly Lateness[];
  /** Sizes of consecutive packets in characters, repeated; default: each piece of output is one. */
  readonly packets?: readonly number[];
  readonly secret: string;
  /** Whether it echoes the next line, after those that it has read; default: always. */
  readonly echoes?: (lines: readonly string[]) => boolean;
}

export interface LateDevice {
  readonly stream: FakeStream;
  /** Lines that it read, with passwords. */
  readonly lines: string[];
}

const levels = { exec: ">", privileged: "#", config: "(config)#" } as const;

export function lateDevice({ late, packets = [], secret, echoes = () => true }: LateOptions): LateDevice {
  const lines: string[] = [];
  const waiting: string[] = [];
  let typed = "";
  let level: keyof typeof levels = "exec";
  let asks = false;
  let busy = false;
  let packet = 0;

  const prompt = () => `R1${levels[level]}`;

  function put(text: string): void {
    const whole = text.replaceAll("\n", "\r\n");
    for (let at = 0; at < whole.length; packet++) {
      const size = packets[packet % Math.max(1, packets.length)] ?? whole.length;
      stream.feed(whole.slice(at, at + size));
      at += size;
    }
  }

  const stream = fakeStream((text) => {
    for (const char of text) {
      if (char !== "\n") typed += char;
      else {
        waiting.push(typed);
        typed = "";
      }
    }
    if (!busy) void read();
  });

  async function read(): Promise<void> {
    busy = true;
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      const now = late[lines.length % Math.max(1, late.length)];
      if (asks) put("\n");
      else {
        await pause((now?.stallMs ?? 0) / 2);
        for (let count = 0; count < (now?.repeats ?? 0); count++) put(`\n${prompt()}`);
        await pause((now?.stallMs ?? 0) / 2);
        put(echoes(lines) ? `${line}\n` : "\n");
      }
      lines.push(line);
      await pause(now?.thinksMs ?? 0);
      put(run(line));
    }
    busy = false;
  }

  function run(line: string): string {
    if (asks) {
      asks = false;
      if (line !== secret) return `% Access denied\n${prompt()}`;
      level = "privileged";
    } else if (line === "enable" && level === "exec") {
      asks = true;
      return "Password: ";
    } else if (line === "disable") level = "exec";
    else if (line === "configure terminal") level = "config";
    else if (line === "end") level = "privileged";
    else if (line.startsWith("show ")) return `output of ${line}\n${prompt()}`;
    else if (line.startsWith("bogus")) return `% Invalid input\n${prompt()}`;
    return prompt();
  }

  put(prompt());
  return { stream, lines };
}

function pause(ms: number): Promise<void> | undefined {
  return ms <= 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms));
}
