/** A simulated device: what all its sessions share. */
import type { PlatformPlugin } from "../plugin/platform.ts";
import { type Answers, refusalOf } from "./answers.ts";
import { type Configuration, createConfiguration } from "./configuration.ts";
import { configurations } from "./recorded.ts";
import type { ThinkingKind } from "./thinking.ts";
import { createKept, type Kept } from "./trial.ts";

export interface DeviceOptions {
  readonly platform: PlatformPlugin;
  readonly hostname: string;
  readonly secret: string;
  readonly answers: Answers;
  /** How long a minute of its timers is; default: a minute. */
  readonly minuteMs?: number;
}

export interface Device {
  readonly options: DeviceOptions;
  hostname: string;
  readonly configuration: Configuration;
  readonly kept: Kept;
  /** The configuration as it was saved. */
  startup: readonly string[];
  readonly refusal: string;
  /** The line that gives the device another name: its first group. */
  readonly rename: RegExp | undefined;
}

export function createDevice(options: DeviceOptions): Device {
  const naming = options.platform.simulated?.rename;
  const rename = renamePattern(naming);
  const beginning =
    configurations[options.platform.name] ?? (naming ?? defaultNaming).replace("{name}", "{hostname}");
  const first = beginning.replaceAll("{hostname}", () => options.hostname).split("\n");
  const configuration = createConfiguration(first, rename);
  const device: Device = {
    options,
    hostname: options.hostname,
    configuration,
    kept: createKept({
      configuration,
      minuteMs: options.minuteMs ?? 60_000,
      applied() {
        const named = configuration.lines().flatMap((line) => rename?.exec(line.trim())?.[1] ?? []);
        device.hostname = named.at(-1) ?? device.hostname;
      },
    }),
    startup: configuration.lines(),
    refusal: refusalOf(options.platform),
    rename,
  };
  return device;
}

const defaultNaming = "hostname {name}";

/** `hostname {name}` with any name. */
function renamePattern(command: string | null | undefined): RegExp | undefined {
  if (command === null) return undefined;
  const [before = "", after = ""] = (command ?? defaultNaming).split("{name}").map(escapeRegExp);
  return new RegExp(`^${before}(\\S+?)${after}$`);
}

export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** What the device does after a line: what it prints, and what it waits for next. */
export interface Reaction {
  readonly output: string;
  /** What the device has to think about before it answers; default: a command. */
  readonly about?: ThinkingKind;
  /** Shown in place of the prompt; what is typed next goes to `answered`, unseen when it is a password. */
  readonly asks?: Question;
  readonly closes?: true;
}

export interface Question {
  readonly text: string;
  readonly hidden: boolean;
  /** One key answers it, without a line end. */
  readonly key?: boolean;
  answered(reply: string): Reaction;
}

export interface TerminalSession {
  /** What is asked between the login and the first prompt. */
  greet(): Reaction;
  prompt(): string;
  /** Whether long outputs are shown page by page. */
  paged(): boolean;
  enter(line: string): Reaction;
  /** The line is gone. */
  closed(): void;
}
