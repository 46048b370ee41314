/** A router whose name, modes, timing and packets a test chooses; its input and state can be inspected. */
import { type FakeStream, fakeStream } from "./fake-stream.ts";

export interface Model {
  readonly hostname: string;
  readonly secret: string;
  /** Delay for an answer and a save; for other lines at most `lineMs`. */
  readonly thinksMs: number;
  readonly lineMs: number;
  /** Sizes of consecutive packets in characters, repeated. */
  readonly packets: readonly number[];
  /** Delay between two packets. */
  readonly gapMs: number;
  readonly starts: "exec" | "privileged";
  readonly saveAsks: boolean;
  /** Delay before the first prompt. */
  readonly landsMs?: number;
}

export interface ModelDevice {
  readonly stream: FakeStream;
  /** Lines entered in configuration mode, in order. */
  readonly configured: string[];
  readonly passwords: string[];
  level: "exec" | "privileged" | "config";
  mode: string;
  context: string;
  hostname: string;
  saves: number;
}

export function modelDevice(model: Model): ModelDevice {
  let typed = "";
  let asking: ((reply: string) => string | undefined) | undefined;
  let hidden = false;
  /** Processes input sequentially, as a terminal does. */
  let work = Promise.resolve();
  const stream = fakeStream((text) => {
    work = work.then(() => take(text));
  });
  const device: ModelDevice = {
    stream,
    configured: [],
    passwords: [],
    level: model.starts,
    mode: "",
    context: "",
    hostname: model.hostname,
    saves: 0,
  };

  const prompt = () => {
    const name = `${device.hostname}${device.context === "" ? "" : `/${device.context}`}`;
    if (device.level === "config") return `${name}(${device.mode === "" ? "config" : device.mode})#`;
    return `${name}${device.level === "exec" ? ">" : "#"}`;
  };

  async function print(text: string): Promise<void> {
    const whole = text.replaceAll("\n", "\r\n");
    for (let at = 0, packet = 0; at < whole.length; packet++) {
      const size = model.packets[packet % model.packets.length] ?? whole.length;
      stream.feed(whole.slice(at, at + size));
      at += size;
      if (model.gapMs > 0 && packet % 16 === 15) await wait(model.gapMs);
    }
  }

  async function take(text: string): Promise<void> {
    for (const char of text) {
      if (char !== "\n") {
        typed += char;
        continue;
      }
      const line = typed;
      typed = "";
      const reply = asking;
      await print(`${hidden ? "" : line}\n`);
      asking = undefined;
      hidden = false;
      await wait(
        reply !== undefined || line === "write memory"
          ? model.thinksMs
          : Math.min(model.lineMs, model.thinksMs),
      );
      const output = reply === undefined ? run(line.trim()) : reply(line);
      if (output !== undefined) await print(output + prompt());
    }
  }

  function ask(question: string, secret: boolean, then: typeof asking): undefined {
    asking = then;
    hidden = secret;
    work = work.then(() => print(question));
    return undefined;
  }

  function askPassword(triesLeft: number): undefined {
    return ask("Password: ", true, (reply) => {
      device.passwords.push(reply);
      if (reply === model.secret) device.level = "privileged";
      else if (triesLeft > 1) return askPassword(triesLeft - 1);
      else return "% Bad secrets\n\n";
      return "";
    });
  }

  function run(line: string): string | undefined {
    if (line === "" || line.startsWith("terminal ")) return "";
    if (device.level === "config") return configure(line);
    if (line === "enable") return device.level === "exec" ? askPassword(3) : "";
    if (line === "disable") device.level = "exec";
    else if (line === "configure terminal") {
      device.level = "config";
      return "Enter configuration commands, one per line.  End with CNTL/Z.\n";
    } else if (line.startsWith("changeto context ")) device.context = line.slice(17);
    else if (line === "changeto system") device.context = "";
    else if (line === "write memory") return save();
    else if (!line.startsWith("show ")) return "% Invalid input detected at '^' marker.\n";
    else return "one line\nanother line\n";
    return "";
  }

  function save(): string | undefined {
    const done = () => {
      device.saves++;
      return "Building configuration...\n[OK]\n";
    };
    if (!model.saveAsks) return done();
    return ask("Overwrite the previous NVRAM configuration?[confirm]", false, (reply) =>
      reply === "" ? done() : "Aborted\n",
    );
  }

  function configure(line: string): string {
    device.configured.push(line);
    if (line === "end" || (line === "exit" && device.mode === "")) {
      device.level = "privileged";
      device.mode = "";
    } else if (line === "exit") device.mode = "";
    else if (line.startsWith("mode ")) device.mode = line.slice(5);
    else if (line.startsWith("hostname ")) device.hostname = line.slice(9);
    else if (line.startsWith("bogus")) return "% Invalid input detected at '^' marker.\n";
    return "";
  }

  work = work.then(() => wait(model.landsMs ?? 0)).then(() => print(prompt()));
  return device;
}

function wait(ms: number): Promise<void> | undefined {
  return ms <= 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms));
}
