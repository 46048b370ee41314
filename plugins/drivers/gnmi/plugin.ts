/** Driver `gnmi`: any server of the gRPC Network Management Interface, by paths. */
import { defineDriver } from "patchbay/plugin";
import { runningBy } from "../shared/configuration-query.ts";
import { ownFacts } from "../shared/facts.ts";
import { withoutChecks } from "../shared/push/checks.ts";
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
  discovers: ownFacts("gnmi"),
  shows: runningBy("/", { data: "config", format: "text" }),
  replaces: () => ({ args: { operation: "replace" } }),
  load: () => import("./driver.ts"),
});
