/** A simulated device: the state that all its sessions share. */
import type { PlatformPlugin } from "../../plugin/platform.ts";
import type { Twin } from "../../twin/twin.ts";
import { type Answers, refusalOf } from "./answers.ts";
import { createDeviceSystem, type DeviceSystem, type SystemOptions } from "./flash.ts";
import type { Reaction } from "./reaction.ts";
import { configurations } from "./recorded.ts";
import { type Configuration, createConfiguration } from "./terminal/configuration.ts";
import { type ConfigurationHistory, createConfigurationHistory } from "./terminal/configuration-history.ts";
import { createMenuDevice, type MenuDevice } from "./terminal/menu-configuration.ts";
import { twinConfiguration } from "./twin/twin-configuration.ts";

/** By command: what it answers, given the lines of the running configuration. */
export type Shows = Readonly<Record<string, (configuration: readonly string[]) => string>>;

export interface DeviceOptions {
  readonly platform: PlatformPlugin;
  readonly hostname: string;
  readonly secret: string;
  readonly answers: Answers;
  readonly shows?: Shows;
  /** Lines of which a mode has one for each match. */
  readonly replaces?: RegExp;
  /** The configuration of a real device, in place of that of its platform. */
  readonly twin?: Twin;
  /** Simulated length of a minute of its timers; default: a real minute. */
  readonly minuteMs?: number;
  /** It has files, reloads, and its login follows its configuration. */
  readonly system?: SystemOptions;
}

export interface Device {
  readonly options: DeviceOptions;
  hostname: string;
  readonly configuration: Configuration;
  /** Of a system whose lines are commands of menus. */
  readonly menus: MenuDevice | undefined;
  readonly kept: ConfigurationHistory;
  /** The startup configuration; undefined: nobody has saved one yet, and it is not known. */
  startup: readonly string[] | undefined;
  readonly refusal: string;
  /** Matches the line that sets the host name; its first group is the name. */
  readonly rename: RegExp | undefined;
  readonly system: DeviceSystem | undefined;
  /** Called when it reloads. */
  onRestart(): void;
}

export function createDevice(options: DeviceOptions): Device {
  const naming = options.platform.simulated?.rename;
  const rename = renamePattern(naming);
  const { twin } = options;
  const { running } = options.platform;
  const menus =
    twin === undefined && running?.shape === "menus"
      ? createMenuDevice(beginningOf(options), running)
      : undefined;
  const configuration =
    menus?.configuration ??
    (twin === undefined ? platformConfiguration(options, rename) : twinConfiguration(twin));
  const nameIn = (lines: readonly string[]) =>
    lines.flatMap((line) => rename?.exec(line.trim())?.[1] ?? []).at(-1);
  const lines = () => configuration.lines().join("\n");
  const device: Device = {
    options,
    onRestart() {},
    system:
      options.system &&
      createDeviceSystem({
        startup: () => device.startup ?? [],
        isModified: () => device.startup?.join("\n") !== lines(),
        restart() {
          if (device.startup !== undefined) configuration.replace(device.startup);
          device.onRestart();
        },
      }),
    hostname: options.hostname,
    configuration,
    menus,
    kept: createConfigurationHistory({
      configuration,
      minuteMs: options.minuteMs ?? 60_000,
      applied() {
        device.hostname = shownName(nameIn(linesThatSet(configuration, twin)), device.hostname);
      },
    }),
    startup: twin === undefined ? configuration.lines() : undefined,
    refusal: refusalOf(options.platform),
    rename,
  };
  if (twin !== undefined)
    device.hostname = shownName(nameIn(linesThatSet(configuration, twin)), options.hostname);
  return device;
}

function platformConfiguration(options: DeviceOptions, rename: RegExp | undefined): Configuration {
  return createConfiguration(beginningOf(options), rename, options.replaces);
}

function beginningOf({ platform, hostname }: DeviceOptions): string[] {
  const naming = platform.simulated?.rename;
  const beginning =
    configurations[platform.name] ?? (naming ?? defaultNaming).replace("{name}", "{hostname}");
  return beginning.replaceAll("{hostname}", () => hostname).split("\n");
}

const linesThatSet = (configuration: Configuration, twin: Twin | undefined) =>
  twin?.commands()?.split("\n") ?? configuration.lines();

/** A name that a prompt can show. */
export function shownName(given: string | undefined, otherwise: string): string {
  const name = given?.replace(/^(["'])(.*)\1$/, "$2") ?? "";
  return /^[\w.-]{1,63}$/.test(name) ? name : otherwise;
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

export interface TerminalSession {
  /** Asked between the login and the first prompt. */
  greet(): Reaction;
  prompt(): string;
  /** Whether long output is paged. */
  paged(): boolean;
  enter(line: string): Reaction;
  /** The connection is closed. */
  closed(): void;
}
