/** Driver `paramiko`: commands, scripts and files on Linux servers over SSH. */
import { defineDriver } from "patchbay/plugin";
import { filesCommand, isFilesCommand, queryOf, showSeconds } from "../shared/configuration-query.ts";
import { transferFaults } from "../shared/file-transfer.ts";
import { hopsOf } from "../shared/ssh/jump-hosts.ts";
import { configureArgs, queryArgs } from "./args.ts";
import { connection, defaultTimeoutS } from "./connection.ts";

export default defineDriver({
  name: "paramiko",
  connection,
  query: queryArgs,
  configure: configureArgs,
  strategy: "fifo",
  target: ({ host, port = 22, timeout = defaultTimeoutS }) => ({ host, port, timeout }),
  timeout: defaultTimeoutS,
  commands: "any",
  configuration: "texts",
  hops: hopsOf,
  check: transferFaults,
  // Server commands may have side effects: none but the one that shows files is repeated.
  repeatable: (operation, _, commands) => operation === "query" && commands.every(isFilesCommand),
  // The credentials needed to find the task again; the rest is needed only at its start.
  detaches: (_operation, { detach }) =>
    detach === true ? { keeps: ["sudo", "sudo_password", "become_user", "get_pty"] } : undefined,
  shows({ parts, files, find }) {
    const platform = find("linux");
    const shown = files ?? platform?.running?.files ?? [];
    if (!parts.includes("running") || shown.length === 0) return undefined;
    const command = filesCommand(shown, files === undefined ? "usual" : "named");
    return queryOf([{ part: "running", command }], {
      args: { timeout: showSeconds },
      platform,
    });
  },
  // Files are put back by a script.
  replaces: () => ({ args: { fail_on_error: true } }),
  load: () => import("./driver.ts"),
});
