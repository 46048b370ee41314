/** Driver `paramiko`: commands, scripts and files on Linux servers over SSH. */
import { defineDriver } from "patchbay/plugin";
import { hopsOf } from "../shared/jump-hosts.ts";
import { configureArgs, queryArgs } from "./args.ts";
import { connection, defaultTimeoutS } from "./connection.ts";

export default defineDriver({
  name: "paramiko",
  connection,
  query: queryArgs,
  configure: configureArgs,
  strategy: "fifo",
  target: ({ host, port }) => ({ host, port }),
  timeout: defaultTimeoutS,
  commands: "any",
  configuration: "texts",
  hops: hopsOf,
  // Nobody knows what a command of a server does: none is run twice.
  repeatable: () => false,
  load: () => import("./driver.ts"),
});
