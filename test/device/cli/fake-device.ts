/** A small in-memory router that behaves like IOS. */
import { type FakeStream, fakeStream } from "./fake-stream.ts";

export interface Device {
  readonly stream: FakeStream;
  /** All lines received, including passwords. */
  readonly lines: string[];
  name: string;
  mode: "exec" | "privileged" | "config" | "config-if";
  saved: boolean;
}

export interface DeviceOptions {
  readonly secret?: string;
  readonly start?: Device["mode"];
  readonly banner?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  /** Splits its output into packets. */
  readonly cut?: (text: string) => readonly string[];
  /** Space after the prompt. */
  readonly blank?: boolean;
  readonly echo?: (line: string) => string;
  /** Delay between the line end after an answer and what follows; short for plain lines. */
  readonly thinksMs?: number;
  /** Question asked on save; anything but `Y` or RETURN means no. */
  readonly saveAsks?: string;
}

/** Delay for a line that asks nothing. */
export const plainMs = 30;

export function fakeDevice(options: DeviceOptions = {}): Device {
  const lines: string[] = [];
  let typed = "";
  let asking: ((line: string) => void) | undefined;
  let hidden = false;
  const device: Device = {
    stream: fakeStream((text) => type(text)),
    lines,
    name: "R1",
    mode: options.start ?? "privileged",
    saved: false,
  };
  const marks = { exec: ">", privileged: "#", config: "(config)#", "config-if": "(config-if)#" };
  const prompt = () => `${device.name}${marks[device.mode]}${options.blank ? " " : ""}`;

  function send(text: string) {
    for (const piece of options.cut?.(text) ?? [text]) device.stream.feed(piece);
  }

  function type(text: string) {
    for (const char of text) {
      if (char === "\n" || char === "\r") {
        const line = typed;
        typed = "";
        lines.push(line);
        const echo = hidden ? "" : (options.echo?.(line) ?? line);
        hidden = false;
        const ask = asking;
        asking = undefined;
        if (ask) {
          send(`${echo}\r\n`);
          think(() => ask(line));
        } else answer(line.trim(), echo);
      } else typed += char;
    }
  }

  function think(then: () => void, maxMs = Number.POSITIVE_INFINITY) {
    if (options.thinksMs === undefined) then();
    else setTimeout(then, Math.min(maxMs, options.thinksMs));
  }

  function answer(line: string, echo: string) {
    if (options.thinksMs !== undefined) {
      send(`${echo}\r\n`);
      return think(() => {
        const output = run(line);
        if (output !== undefined) send(`${output.replaceAll("\n", "\r\n")}${prompt()}`);
      }, plainMs);
    }
    const output = run(line);
    if (output !== undefined) send(`${echo}\r\n${output.replaceAll("\n", "\r\n")}${prompt()}`);
    else send(`${echo}\r\n`);
  }

  function ask(question: string, secret: boolean, then: (line: string) => void): undefined {
    queueMicrotask(() => send(question));
    hidden = secret;
    asking = then;
  }

  function reply(text: string) {
    send(`${text.replaceAll("\n", "\r\n")}${prompt()}`);
  }

  function run(line: string): string | undefined {
    const scripted = options.outputs?.[line];
    if (scripted !== undefined) return scripted;
    if (line === "" || line.startsWith("!") || line.startsWith("terminal ")) return "";
    const configuring = device.mode.startsWith("config");
    if (line === "enable" && device.mode === "exec") {
      if (options.secret === undefined) {
        device.mode = "privileged";
        return "";
      }
      const attempt = (left: number) => (given: string) => {
        if (given === options.secret) {
          device.mode = "privileged";
          reply("");
        } else if (left > 0) {
          hidden = true;
          asking = attempt(left - 1);
          send("Password: ");
        } else reply("% Bad secrets\n\n");
      };
      return ask("Password: ", true, attempt(2));
    }
    if (line === "disable") device.mode = "exec";
    else if (line === "configure terminal" && device.mode === "privileged") {
      device.mode = "config";
      return "Enter configuration commands, one per line.  End with CNTL/Z.\n";
    } else if (line === "end" && configuring) device.mode = "privileged";
    else if (configuring && line.startsWith("interface ")) device.mode = "config-if";
    else if (configuring && line.startsWith("hostname ")) device.name = line.slice(9);
    else if (configuring && line === "exit") device.mode = device.mode === "config" ? "privileged" : "config";
    else if (configuring && /^(description|ip|no|vlan|logging)\b/.test(line)) return "";
    else if (configuring && line.startsWith("banner motd ")) {
      const delimiter = line.slice(12, 13);
      const collect = (text: string) => {
        if (text.includes(delimiter)) reply("");
        else asking = collect;
      };
      return ask(`Enter TEXT message.  End with the character '${delimiter}'.\r\n`, false, collect);
    } else if (line === "write memory" && device.mode === "privileged") {
      const { saveAsks } = options;
      if (saveAsks !== undefined && !device.saved) {
        return ask(saveAsks, false, (given) => {
          device.saved = given === "Y" || given === "";
          reply(device.saved ? "Building configuration...\n[OK]\n" : "Aborted\n");
        });
      }
      device.saved = true;
      return "Building configuration...\n[OK]\n";
    } else if (line === "reload") {
      return ask("Proceed with reload? [confirm]", false, () => reply("no\n"));
    } else return `     ^\n% Invalid input detected at '^' marker.\n\n`;
    return "";
  }

  queueMicrotask(() => send(`${(options.banner ?? "").replaceAll("\n", "\r\n")}${prompt()}`));
  return device;
}
