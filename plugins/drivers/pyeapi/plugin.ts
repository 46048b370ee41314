/** Driver `pyeapi`: Arista EOS over eAPI (JSON-RPC over HTTP). */
import { defineDriver } from "patchbay/plugin";
import { withoutChecks } from "../shared/checks.ts";
import { configureArgs, queryArgs } from "./args.ts";
import { connection, defaultTimeoutS, transportFields } from "./connection.ts";

export default defineDriver({
  name: "pyeapi",
  connection,
  query: queryArgs,
  configure: configureArgs,
  strategy: "fifo",
  target: ({ host, port, timeoutMs }) => ({ host, port, timeout: timeoutMs / 1000 }),
  timeout: defaultTimeoutS,
  commands: "lines",
  overrides: Object.keys(transportFields),
  excludesChecks: withoutChecks,
  compares: () => true,
  undo: (_, { dry_run, session }) => (dry_run === true || session === false ? undefined : "confirmed_commit"),
  load: () => import("./driver.ts"),
});
