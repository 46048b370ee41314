/** Driver `restconf`: any server of RFC 8040, by paths of YANG data, as JSON or XML. */
import { defineDriver } from "patchbay/plugin";
import { runningBy } from "../shared/configuration-query.ts";
import { ownFacts } from "../shared/facts.ts";
import { configureArgs, queryArgs } from "./args.ts";
import { connection, defaultTimeoutS } from "./connection.ts";
import { isOperation, needlessArgs } from "./resources.ts";

export default defineDriver({
  name: "restconf",
  connection,
  query: queryArgs,
  configure: configureArgs,
  strategy: "fifo",
  target: ({ host, port, timeoutMs }) => ({ host, port, timeout: timeoutMs / 1000 }),
  timeout: defaultTimeoutS,
  commands: "names",
  configuration: "texts",
  objects: true,
  check: needlessArgs,
  repeatable: (operation) => operation === "query",
  transport: () => "https",
  undo: (_, { path }) => (path !== undefined && isOperation(path) ? undefined : "replace"),
  discovers: ownFacts("restconf"),
  shows: runningBy("data", { content: "config", format: "text" }),
  replaces: () => ({ args: { method: "put" } }),
  load: () => import("./driver.ts"),
});
