/** `patchbay simulate`: runs a simulated device until stopped. */
import process from "node:process";
import { type Command, Option } from "commander";
import { ServiceError } from "../base/errors.ts";
import { createLog } from "../base/log.ts";
import { noPluginSettings } from "../base/plugin-settings.ts";
import { nearNames } from "../base/text/near-names.ts";
import { readEnvironment } from "../client/input/environment.ts";
import { createTerminal } from "../client/output/terminal.ts";
import { type StoredText, storedText } from "../client/rooms/history.ts";
import type { ServerFlags } from "../client/service/server.ts";
import type { PlatformPlugin } from "../plugin/platform.ts";
import type { Program } from "../service/program.ts";
import { type Faults, namedFaults, type PromptShows, promptShows } from "../testkit/simulator/faults.ts";
import { serverNames } from "../testkit/simulator/servers/server-names.ts";
import type { Simulator } from "../testkit/simulator/simulator.ts";
import { openSession, withServer } from "./client/parts/action.ts";
import { print, untilSignal } from "./output.ts";

/** Each is a listener with a host key of its own. */
const maxDevices = 500;
const maxSuggestions = 12;

/** Options as parsed by commander. */
interface SimulateOptions extends ServerFlags {
  readonly platform?: string;
  readonly driver?: string;
  readonly device?: string;
  readonly version?: string;
  readonly port: string;
  readonly count: string;
  readonly host: string;
  readonly transport: string;
  readonly username: string;
  readonly password: string;
  readonly secret: string;
  readonly hostname?: string;
  readonly transcripts?: string;
  readonly latency: string;
  readonly thinking: string;
  readonly fault?: string;
  readonly promptShows?: PromptShows;
  readonly plugins?: string;
}

export function defineSimulate(parent: Command, program: Program): void {
  const command = parent
    .command("simulate")
    .description(
      "start a simulated device on loopback that speaks SSH, Telnet, NETCONF, RESTCONF, gNMI or SNMP, or the twin of a real one",
    )
    .option("--platform <name>", "device_type, such as cisco_ios or huawei; default: that of --device")
    .option("--device <name>", "the twin of an inventory device, with its newest good configuration")
    .option("--version <number>", "with --device: this version, as `history list` counts them")
    .addOption(
      new Option(
        "--driver <name>",
        "instead of a platform: a server for this driver, with the models ietf-system and ietf-interfaces, those of OpenConfig, or MIB-2",
      ).choices(serverNames),
    )
    .option("--port <port>", "port; 0 picks a free one", "0")
    .option("--count <number>", "devices: on this port and the next ones, named R1, R2, …", "1")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--transport <name>", "ssh or telnet", "ssh")
    .option("--username <name>", "login user", "admin")
    .option("--password <text>", "login password; of snmp the community", "admin")
    .option("--secret <text>", "enable password", "enable")
    .option("--hostname <name>", "host name in the prompt; with --count, what comes before the number")
    .option("--transcripts <folder>", "answers: one file per command, spaces written as _")
    .option("--latency <ms>", "round trip time in milliseconds", "0")
    .option(
      "--thinking <ms>",
      "milliseconds between a line and its answer, passwords and saves included",
      "0",
    )
    .option("--fault <name>", "stall, drop, trickle, cut, pause, late, endless, garbage or key-change")
    .addOption(
      new Option("--prompt-shows <what>", "what the prompt shows behind the host name").choices(promptShows),
    )
    .option("--plugins <folders>", "plugin folders with platforms, colon-separated");
  withServer(command).action((options: SimulateOptions) => simulate(options, program));
}

async function simulate(options: SimulateOptions, program: Program): Promise<void> {
  if (options.driver !== undefined) return simulateServer(options.driver, options);
  const { device: name, version } = options;
  if (name === undefined && version !== undefined)
    throw new ServiceError("Validation", "--version is of --device: name the device.");
  const real = name === undefined ? undefined : await storedConfiguration(name, options);
  const platform = await platformOf(options.platform ?? real?.platform, options, program);
  const { hasTwins, startSimulator } = await import("../testkit/simulator/simulator.ts");
  if (real !== undefined && !hasTwins(platform))
    throw new ServiceError(
      "Validation",
      `It is not known how lines change a configuration of ${platform.name}: it has no twins.`,
    );
  const transport = transportOf(options.transport);
  const { username, password, secret, host, transcripts } = options;
  const port = wholeNumber(options.port, "--port", 65_535);
  const count = wholeNumber(options.count, "--count", maxDevices);
  if (real !== undefined && count !== 1)
    throw new ServiceError("Validation", "--device is the twin of one device: leave --count out.");
  if (count < 1 || (port > 0 && port + count - 1 > 65_535))
    throw new ServiceError("Validation", `--count must be from 1 to ${maxDevices}, with ports up to 65535.`);
  const common = {
    platform,
    transport,
    username,
    password,
    secret,
    host,
    latencyMs: wholeNumber(options.latency, "--latency", 60_000),
    thinking: wholeNumber(options.thinking, "--thinking", 60_000),
    transcripts,
    faults: faultsOf(options.fault),
    promptShows: options.promptShows,
    configuration: real?.text,
  };
  const devices: { readonly name: string; readonly device: Simulator }[] = [];
  for (let number = 1; number <= count; number++) {
    const first = options.hostname ?? real?.name ?? "R1";
    const name = count === 1 ? first : `${options.hostname ?? "R"}${number}`;
    const ownPort = port === 0 ? 0 : port + number - 1;
    const device = await startSimulator({ ...common, port: ownPort, hostname: name }).catch(
      (error: unknown) => {
        throw notListening(error, host, ownPort);
      },
    );
    devices.push({ name, device });
  }
  const loginTo = (at: number) =>
    transport === "ssh" ? `ssh -p ${at} ${username}@127.0.0.1` : `telnet 127.0.0.1 ${at}`;
  const how = `(password ${password}, enable ${secret}). Press Ctrl-C to stop`;
  const [first] = devices;
  if (real !== undefined && first)
    print(
      `The twin of ${name} with its version ${real.version} (${platform.name}) listens on port ${first.device.port}: ${loginTo(first.device.port)} ${how} it. Secrets are masked; what it does not know it says behind "twin:".`,
    );
  else if (count === 1 && first)
    print(
      `A simulated ${platform.name} listens on port ${first.device.port}: ${loginTo(first.device.port)} ${how} it.`,
    );
  else {
    for (const { name, device } of devices) print(`${name}  ${loginTo(device.port)}`);
    print(`${count} simulated ${platform.name} listen ${how} them.`);
  }
  await untilSignal();
  await Promise.all(devices.map(({ device }) => device.stop()));
  process.exit(0);
}

/** Options that are about command lines. */
const ofPlatforms = ["platform", "device", "transcripts", "fault", "promptShows", "plugins"] as const;

async function simulateServer(driver: string, options: SimulateOptions): Promise<void> {
  const given = ofPlatforms.find((name) => options[name] !== undefined);
  if (given !== undefined || options.count !== "1")
    throw new ServiceError("Validation", `--${given ?? "count"} cannot be combined with --driver.`);
  const { host, username, password, hostname } = options;
  const port = wholeNumber(options.port, "--port", 65_535);
  const { startServer } = await import("../testkit/simulator/servers/servers.ts");
  const server = await startServer(driver, {
    ...{ host, port, username, password },
    ...(hostname === undefined ? {} : { hostname }),
  }).catch((error: unknown) => {
    throw notListening(error, host, port);
  });
  // A signal may come as soon as the lines are read.
  const stopped = untilSignal();
  print(
    `A simulated server for the driver ${driver} listens on port ${server.port}. Press Ctrl-C to stop it.`,
  );
  print(JSON.stringify({ driver, connection_args: server.connection }));
  await stopped;
  await server.stop();
  process.exit(0);
}

/** @throws ServiceError Validation with similar names */
async function platformOf(
  name: string | undefined,
  { plugins = "" }: SimulateOptions,
  program: Program,
): Promise<PlatformPlugin> {
  if (name === undefined)
    throw new ServiceError(
      "Validation",
      "Say what to simulate: --platform, such as cisco_ios, --device with the name of an inventory device, or --driver.",
    );
  const { configuredPlugins } = await import("../service/plugins/plugins.ts");
  const folders = plugins.split(":").filter(Boolean);
  const registry = await configuredPlugins(
    { values: { plugins: folders }, pluginSettings: noPluginSettings },
    createLog({ level: "warn", format: "pretty" }),
    program,
  );
  const platform = registry.get("platform", name);
  if (platform) return platform;
  // By their own names, without variants: a vendor has many.
  const names = registry.list("platform").map((plugin) => plugin.name);
  const near = nearNames(name, names, maxSuggestions);
  throw new ServiceError(
    "Validation",
    `There is no platform "${name}".${near.length > 0 ? ` Did you mean ${near.join(", ")}?` : ""}`,
  );
}

/** As the caller's key may read it. */
async function storedConfiguration(name: string, flags: SimulateOptions): Promise<StoredText> {
  const version =
    flags.version === undefined ? "latest" : String(wholeNumber(flags.version, "--version", 999_999_999));
  const environment = readEnvironment();
  const { api } = openSession(flags, { environment, terminal: createTerminal(environment) });
  return storedText(api, name, version);
}

/** Explains why the address cannot be bound. */
function notListening(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is used by another program: choose another with --port, or omit it for a free one.`,
    EACCES: `Port ${port} is reserved for root: choose one above 1023 with --port.`,
    ENOENT: "The folder of --transcripts does not exist.",
    ENOTDIR: "--transcripts must name a folder.",
    EADDRNOTAVAIL: `${host} is not an address of this machine: choose one with --host.`,
  };
  return why[code] === undefined ? error : new ServiceError("Validation", why[code], {}, { cause: error });
}

function transportOf(name: string): "ssh" | "telnet" {
  if (name === "ssh" || name === "telnet") return name;
  throw new ServiceError("Validation", "--transport must be ssh or telnet.");
}

function faultsOf(name: string | undefined): Faults {
  if (name === undefined) return {};
  const match = Object.entries(namedFaults).find(([faultName]) => faultName === name);
  if (match) return match[1];
  throw new ServiceError("Validation", `--fault must be one of ${Object.keys(namedFaults).join(", ")}.`);
}

function wholeNumber(text: string, flag: string, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw new ServiceError("Validation", `${flag} must be a whole number up to ${max}.`);
}
