/** Driver `restconf`: any server of RFC 8040, by paths of YANG data, as JSON or XML. */
import { defineDriver } from "patchbay/plugin";
import { queryOf, showSeconds } from "../shared/configuration-query.ts";
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
  discovers: (platform) => ({
    command: "facts",
    platform: platform ?? "restconf",
    structured: true,
    ownOnly: true,
  }),
  shows({ parts }) {
    const shown = parts.filter((part) => part === "running");
    return queryOf(
      shown.map((part) => ({ part, command: "data" })),
      { args: { content: "config", format: "text", timeout: showSeconds }, platform: undefined },
    );
  },
  replaces: () => ({ args: { method: "put" } }),
  load: () => import("./driver.ts"),
});
