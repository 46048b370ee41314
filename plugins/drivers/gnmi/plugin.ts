/** Driver `gnmi`: any server of the gRPC Network Management Interface, by paths. */
import { defineDriver } from "patchbay/plugin";
import { withoutChecks } from "../shared/checks.ts";
import { queryOf, showSeconds } from "../shared/configuration-query.ts";
import { configureArgs, defaultTimeoutS, mostRevertSeconds, needlessArgs, queryArgs } from "./args.ts";
import { connection } from "./connection.ts";

export default defineDriver({
  name: "gnmi",
  connection,
  query: queryArgs,
  configure: configureArgs,
  strategy: "pinned",
  target: ({ host, port, timeoutMs }) => ({ host, port, timeout: timeoutMs / 1000 }),
  timeout: defaultTimeoutS,
  commands: "names",
  configuration: "texts",
  objects: true,
  check: needlessArgs,
  repeatable: (operation) => operation === "query",
  transport: () => "https",
  excludesChecks: withoutChecks,
  undo: (_, { operation }) => (operation === "union_replace" ? undefined : "replace"),
  holds: () => ({ mostSeconds: mostRevertSeconds, extends: true }),
  discovers: (platform) => ({
    command: "facts",
    platform: platform ?? "gnmi",
    structured: true,
    ownOnly: true,
  }),
  shows({ parts }) {
    const shown = parts.filter((part) => part === "running");
    return queryOf(
      shown.map((part) => ({ part, command: "/" })),
      { args: { data: "config", format: "text", timeout: showSeconds }, platform: undefined },
    );
  },
  replaces: () => ({ args: { operation: "replace" } }),
  load: () => import("./driver.ts"),
});
