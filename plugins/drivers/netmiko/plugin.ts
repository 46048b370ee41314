/** Driver `netmiko`: the CLIs of all platforms over SSH and Telnet. */
import { defineDriver } from "patchbay/plugin";
import { withoutChecks } from "../shared/checks.ts";
import { transferFaults } from "../shared/file-transfer.ts";
import { hopsOf } from "../shared/jump-hosts.ts";
import { configureArgs, queryArgs } from "./args.ts";
import { connection, defaultTimeoutS } from "./connection.ts";
import { factsMarker } from "./facts.ts";
import { parsingOf } from "./parsing.ts";
import { shows } from "./shows.ts";
import { undoWay } from "./undo-way.ts";

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
  // Elsewhere a dry run sends nothing, and returns the lines.
  compares: ({ deviceType }, _, platform) => platform(deviceType)?.candidate?.diff !== undefined,
  discovers: (platform) => ({ command: factsMarker, platform: platform ?? "autodetect" }),
  shows,
  load: () => import("./driver.ts"),
});
