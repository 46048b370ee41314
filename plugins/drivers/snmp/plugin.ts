/** Driver `snmp`: reads and sets objects of agents of version 2c and 3. */
import { defineDriver } from "patchbay/plugin";
import { ownFacts } from "../shared/facts.ts";
import { configureArgs, queryArgs } from "./args.ts";
import { connection } from "./connection.ts";

export default defineDriver({
  name: "snmp",
  connection,
  query: queryArgs,
  configure: configureArgs,
  strategy: "fifo",
  target: ({ host, port, timeoutMs, repeats }) => ({
    host,
    port,
    timeout: Math.min(300, (timeoutMs / 1000) * (repeats + 1)),
  }),
  commands: "names",
  configuration: "texts",
  objects: true,
  repeatable: (operation) => operation === "query",
  discovers: ownFacts("snmp"),
  load: () => import("./driver.ts"),
});
