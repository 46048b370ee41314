/** A router that accepts type-ahead and echoes it in each of the ways that terminals do. */
import { fakeStream } from "./fake-stream.ts";

/**
 * `editor`: echoes each line after the prompt that reads it. `both`: the same, and the terminal echoes input
 * that arrives while a command runs. `terminal`: echoes only on arrival.
 */
export type EchoForm = "editor" | "both" | "terminal";

export interface EchoingDevice {
  readonly form: EchoForm;
  /** Refuses lines with these numbers. */
  readonly refuses: readonly number[];
  /** Delay per line. */
  readonly thinksMs: number;
  /** Sizes of consecutive packets in characters, in both directions, repeated. */
  readonly packets: readonly number[];
  /** Delay between two packets of input. */
  readonly gapMs?: number;
  /** Sizes of the writes of an output, repeated: what arrives between two of them is echoed there. Default: one write. */
  readonly writes?: readonly number[];
}

export function echoingDevice({ form, refuses, thinksMs, packets, gapMs = 0, writes }: EchoingDevice) {
  let mode = "";
  let name = "R1";
  let level: "exec" | "config" = "exec";
  let queue = "";
  let busy = false;
  let arriving = Promise.resolve();
  const taken: string[] = [];
  const refused: string[] = [];
  const prompt = () => (level === "exec" ? `${name}# ` : `${name}(config${mode})# `);
  const stream = fakeStream((text) => {
    arriving = arriving.then(() => arrive(text));
  });

  function* cut(text: string, sizes = packets) {
    for (let at = 0, packet = 0; at < text.length; packet++) {
      const size = sizes[packet % sizes.length] ?? text.length;
      yield text.slice(at, at + size);
      at += size;
    }
  }

  function print(text: string): void {
    for (const piece of cut(text.replaceAll("\n", "\r\n"))) stream.feed(piece);
  }

  async function arrive(text: string): Promise<void> {
    for (const piece of cut(text)) {
      if (form === "terminal" || (form === "both" && busy)) print(piece);
      queue += piece;
      readOn();
      if (gapMs > 0) await wait(gapMs);
      else if (writes !== undefined) await soon();
    }
  }

  function readOn(): void {
    const end = queue.indexOf("\n");
    if (busy || end < 0) return;
    const line = queue.slice(0, end);
    queue = queue.slice(end + 1);
    if (form !== "terminal") print(`${line}\n`);
    busy = true;
    const run = async () => {
      const output = execute(line.trim());
      const pieces = [...cut(output, writes ?? [output.length])];
      const last = writes === undefined ? (pieces.pop() ?? "") : "";
      for (const piece of pieces) {
        print(piece);
        await soon();
      }
      busy = false;
      print(last + prompt());
      readOn();
    };
    if (thinksMs > 0) setTimeout(run, thinksMs);
    else queueMicrotask(run);
  }

  function execute(line: string): string {
    if (line === "configure terminal" && level === "exec") level = "config";
    else if (level === "exec" || line === "" || line.startsWith("!")) return "";
    else if (line === "end" || (line === "exit" && mode === "")) level = "exec";
    else if (line === "exit") mode = "";
    else return configure(line);
    if (level === "exec") mode = "";
    return "";
  }

  function configure(line: string): string {
    const number = Number(/\d+(?=\D*$)/.exec(line)?.[0] ?? -1);
    const isValid = /^(?:no )?(?:ip route|vlan|interface|hostname|note)\b/.test(line);
    const here = isValid || (mode !== "" && /^(?:description|shutdown)\b/.test(line));
    if (!here || refuses.includes(number)) {
      refused.push(line);
      return `% Unknown command: ${line}\n`;
    }
    taken.push(`${mode} ${line}`);
    if (line.startsWith("interface ")) mode = "-if";
    else if (isValid && !line.startsWith("note")) mode = line.startsWith("vlan") ? "-vlan" : "";
    if (line.startsWith("hostname ")) name = line.slice(9);
    return line.startsWith("note") && number % 3 === 0 ? `note ${number} was taken\n` : "";
  }

  queueMicrotask(() => print(prompt()));
  return { stream, taken, refused };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function soon(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
