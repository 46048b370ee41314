/** Driver `paramiko`: commands, scripts and files on Linux servers over SSH. */
import { defineDriver } from "patchbay/plugin";
import { transferFaults } from "../shared/file-transfer.ts";
import { hopsOf } from "../shared/jump-hosts.ts";
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
  // Server commands may have side effects, so none is repeated.
  repeatable: () => false,
  // The credentials needed to find the task again; the rest is needed only at its start.
  detaches: (_operation, { detach }) =>
    detach === true ? { keeps: ["sudo", "sudo_password", "become_user", "get_pty"] } : undefined,
  load: () => import("./driver.ts"),
});
