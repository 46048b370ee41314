/** Driver `pyeapi`: Arista EOS over eAPI (JSON-RPC over HTTP). */
import { defineDriver } from "patchbay/plugin";
import { queryOf, showSeconds } from "../shared/configuration-query.ts";
import { withoutChecks } from "../shared/push/checks.ts";
import { configureArgs, mostMinutes, queryArgs } from "./args.ts";
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
  transport: () => "https",
  compares: () => true,
  undo: (_, { dry_run, session }) => (dry_run === true || session === false ? undefined : "confirmed_commit"),
  holds: () => ({ mostSeconds: mostMinutes * 60, extends: true }),
  shows({ parts, find }) {
    const platform = find("arista_eos");
    const { show, startup } = platform?.running ?? {};
    const commands = { running: show, startup, set: undefined };
    return queryOf(
      parts.flatMap((part) => (commands[part] === undefined ? [] : [{ part, command: commands[part] }])),
      { args: { encoding: "text", timeout: showSeconds, stop_on_error: false }, platform },
    );
  },
  replaces: () => ({ args: { session: true }, first: ["rollback clean-config"] }),
  load: () => import("./driver.ts"),
});
