/** A wire in memory and a scripted device behind it, for the tests of the terminal layer. */

import type { ByteStream } from "../../src/base/byte-stream.ts";
import type { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Context } from "../../src/plugin/kit.ts";
import type { PlatformPlugin } from "../../src/plugin/platform.ts";

export interface FakeWire extends ByteStream {
  /** From the device to us. */
  feed(data: string | Uint8Array): void;
  /** The far side closes. */
  lose(error?: ServiceError): void;
  readonly written: string[];
  readonly destroyed: () => boolean;
}

/** @param onWrite what the device does with what is typed */
export function fakeWire(onWrite: (text: string) => void = () => {}): FakeWire {
  let listener: ((chunk: Uint8Array) => void) | undefined;
  let onClose: ((error?: ServiceError) => void) | undefined;
  let closed = false;
  const early: Uint8Array[] = [];
  const written: string[] = [];
  let destroyed = false;
  function lose(error?: ServiceError) {
    if (closed) return;
    closed = true;
    onClose?.(error);
  }
  return {
    written,
    destroyed: () => destroyed,
    feed(data) {
      if (closed) return;
      const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
      if (listener) listener(bytes);
      else early.push(bytes);
    },
    lose,
    write(data) {
      if (closed) return;
      const text = typeof data === "string" ? data : new TextDecoder().decode(data);
      written.push(text);
      queueMicrotask(() => onWrite(text));
    },
    onData(next) {
      listener = next;
      for (const chunk of early.splice(0)) next(chunk);
    },
    onClose(next) {
      onClose = next;
    },
    async end() {
      lose();
    },
    destroy() {
      destroyed = true;
      lose();
    },
  };
}

export function testContext(signal: AbortSignal = new AbortController().signal): Context & {
  readonly told: (readonly string[])[];
  readonly warnings: string[];
} {
  const told: (readonly string[])[] = [];
  const warnings: string[] = [];
  return {
    signal,
    remaining: () => 60_000,
    log: silentLog,
    announce: (lines) => void told.push(lines),
    warn: (message) => void warnings.push(message),
    output() {},
    ...{ told, warnings },
  };
}

export interface Device {
  readonly wire: FakeWire;
  /** Every line it was given, passwords included. */
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
  /** How what it sends is cut. */
  readonly cut?: (text: string) => readonly string[];
  /** Blank behind the prompt. */
  readonly blank?: boolean;
  readonly echo?: (line: string) => string;
  /** How long it thinks between the line end behind an answer and what follows; over a plain line a little. */
  readonly thinksMs?: number;
  /** What a save asks first; anything but `Y` or a RETURN means no. */
  readonly saveAsks?: string;
}

/** What a device thinks over a line that asks nothing of it. */
const plainMs = 30;

/** A small router with the manners of IOS. */
export function fakeDevice(options: DeviceOptions = {}): Device {
  const lines: string[] = [];
  let typed = "";
  let asking: ((line: string) => void) | undefined;
  let hidden = false;
  const device: Device = {
    wire: fakeWire((text) => type(text)),
    lines,
    name: "R1",
    mode: options.start ?? "privileged",
    saved: false,
  };
  const marks = { exec: ">", privileged: "#", config: "(config)#", "config-if": "(config-if)#" };
  const prompt = () => `${device.name}${marks[device.mode]}${options.blank ? " " : ""}`;

  function send(text: string) {
    for (const piece of options.cut?.(text) ?? [text]) device.wire.feed(piece);
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

  function think(then: () => void, mostMs = Number.POSITIVE_INFINITY) {
    if (options.thinksMs === undefined) then();
    else setTimeout(then, Math.min(mostMs, options.thinksMs));
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

/** What a line does: the prompt from then on, and what it prints before. */
type Reaction = string | { readonly says: string; readonly prompt?: string };

/** A device that shows a prompt after every line; `lines` say what some of them do. */
export function deviceWith(first: string, reactions: Readonly<Record<string, Reaction>> = {}) {
  let prompt = first;
  const lines: string[] = [];
  const wire = fakeWire((text) => {
    for (const line of text.split("\n").slice(0, -1)) {
      lines.push(line);
      const reaction = reactions[line];
      const { says = "", prompt: next } =
        typeof reaction === "string" ? { prompt: reaction } : (reaction ?? {});
      prompt = next ?? prompt;
      wire.feed(`${line}\r\n${says.replaceAll("\n", "\r\n")}${prompt}`);
    }
  });
  wire.feed(first);
  return { wire, lines };
}

export interface ScriptedLogin {
  readonly thinksMs: number;
  /** Asked one after the other; the second one without an echo. */
  readonly asks: readonly string[];
  readonly accepts: readonly string[];
  readonly prompt: string;
  /** Said before, each with a pause behind it. */
  readonly greeting?: readonly string[];
}

/** A device that asks before it shows a prompt, then takes any line. A wrong answer begins it all again. */
export function scriptedDevice({ thinksMs, asks, accepts, prompt, greeting = [] }: ScriptedLogin) {
  const lines: string[] = [];
  const given: string[] = [];
  let typed = "";
  const wire = fakeWire((text) => {
    for (const char of text) {
      if (char !== "\n" && char !== "\r") typed += char;
      else {
        enter(typed);
        typed = "";
      }
    }
  });
  function enter(line: string): void {
    lines.push(line);
    const hidden = given.length === 1;
    wire.feed(`${hidden ? "" : line}\r\n`);
    if (given.length < asks.length) given.push(line);
    setTimeout(proceed, lines.length > asks.length ? Math.min(plainMs, thinksMs) : thinksMs);
  }
  function proceed(): void {
    const next = asks[given.length];
    if (next !== undefined) wire.feed(next);
    else if (given.every((line, at) => line === accepts[at])) wire.feed(prompt);
    else {
      given.length = 0;
      wire.feed(`Authentication failed\r\n${asks[0]}`);
    }
  }
  for (const [at, text] of [...greeting, asks[0] ?? prompt].entries()) {
    if (at === 0) wire.feed(text);
    else setTimeout(() => wire.feed(text), at * 60);
  }
  return { wire, lines };
}

export const router: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "test_ios",
  home: "privileged",
  config: "config",
  levels: {
    exec: { prompt: /[\w.-]{1,63}>\s?/ },
    privileged: {
      prompt: /[\w.-]{1,63}#\s?/,
      from: "exec",
      enter: "enable",
      leave: "disable",
      asks: /password:\s*$/i,
    },
    config: {
      prompt: /[\w.-]{1,63}\(config[^)]*\)#\s?/,
      from: "privileged",
      enter: "configure terminal",
      leave: "end",
    },
  },
  prepare: ["terminal width 511", "terminal length 0"],
  errors: [/^% ?(?:Invalid|Incomplete|Ambiguous|Unknown)/],
  pager: { prompt: /--More--/, press: " " },
  save: [{ send: "write memory", success: /\[OK\]/ }],
};
