/** Driver `netmiko`: the CLIs of all platforms over SSH and Telnet. */
import { type Command, defineDriver, type PlatformPlugin, type UndoWay } from "patchbay/plugin";
import { transferFaults } from "../shared/file-transfer.ts";
import { withoutChecks } from "../shared/push/checks.ts";
import { hopsOf } from "../shared/ssh/jump-hosts.ts";
import { type ConfigureArgs, configureArgs, type QueryArgs, queryArgs } from "./args.ts";
import { type Connection, connection, defaultTimeoutS } from "./connection.ts";
import { factsMarker } from "./facts.ts";
import { shows } from "./shows.ts";

export default defineDriver({
  name: "netmiko",
  connection,
  query: queryArgs,
  configure: configureArgs,
  strategy: "pinned",
  target: ({ host, port, timeoutMs }) => ({ host, port, timeout: timeoutMs / 1000 }),
  timeout: defaultTimeoutS,
  commands: "lines",
  platformField: "device_type",
  hops: hopsOf,
  check: transferFaults,
  // A file transfer is requested as a query but must not be repeated.
  repeatable: (operation, args) =>
    operation === "query" && !("file_transfer" in args && args.file_transfer !== undefined),
  parsing: parsingOf,
  excludesChecks: withoutChecks,
  undo: undoWay,
  holds({ platform: name, find }) {
    const ways = name === null ? [] : (find(name)?.undo ?? []);
    const way = ways.find(({ timer, within }) => timer !== undefined && within === undefined);
    return way?.timer && { mostSeconds: way.timer.mostMinutes * 60, extends: way.extend !== undefined };
  },
  // Elsewhere a dry run sends nothing, and returns the lines.
  transport: ({ device_type: type }) => (/telnet/i.test(String(type ?? "")) ? "telnet" : "ssh"),
  compares: ({ deviceType }, _, platform) => platform(deviceType)?.candidate?.diff !== undefined,
  rehearses: ({ deviceType }, _, platform) =>
    platform(deviceType)?.candidate?.own === undefined ? undefined : {},
  discovers: (platform) => ({ command: factsMarker, platform: platform ?? "autodetect" }),
  shows,
  load: () => import("./driver.ts"),
});

function undoWay(
  { deviceType }: Pick<Connection, "deviceType">,
  args: ConfigureArgs,
  platform: (name: string) => PlatformPlugin | undefined,
): UndoWay | undefined {
  if (args.dry_run === true || args.commit === false) return undefined;
  const ways = platform(deviceType)?.undo ?? [];
  // A method available on some devices of a platform only is not promised.
  const sure = ways.filter(({ when }) => when === undefined);
  return sure.find((undo) => args.config_mode_command === undefined || !commits(undo))?.way;
}

function commits({ candidate, within, enter }: NonNullable<PlatformPlugin["undo"]>[number]): boolean {
  return (candidate ?? within ?? enter) !== undefined;
}

interface Parsing {
  readonly use: { readonly name: "textfsm" | "ttp"; readonly template?: string };
  /** False, as in netmiko: output without a matching template stays text. */
  readonly strict: boolean;
}

/** Without an explicit template, TextFSM selects one of the installed set by platform and command. */
function parsingOf(args: QueryArgs, commands: readonly Command[]): Parsing | undefined {
  const strict = args.raise_parsing_error === true;
  if (args.use_textfsm === true) {
    const template = args.textfsm_template;
    return { use: { name: "textfsm", ...(template ? { template } : {}) }, strict };
  }
  if (args.use_ttp === true && args.ttp_template) {
    return { use: { name: "ttp", template: args.ttp_template }, strict };
  }
  return commands.includes(factsMarker) ? { use: { name: "textfsm" }, strict: false } : undefined;
}
