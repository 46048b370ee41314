/** Driver `netconf`: any server of RFC 6241 over SSH, by operations and YANG models. */
import { defineDriver } from "patchbay/plugin";
import { runningBy } from "../shared/configuration-query.ts";
import { ownFacts } from "../shared/facts.ts";
import { withoutChecks } from "../shared/push/checks.ts";
import { hopsOf } from "../shared/ssh/jump-hosts.ts";
import { configureArgs, mostRevertSeconds, queryArgs } from "./args.ts";
import { needlessArgs } from "./command-names.ts";
import { connection, defaultTimeoutS } from "./connection.ts";

export default defineDriver({
  name: "netconf",
  connection,
  query: queryArgs,
  configure: configureArgs,
  strategy: "pinned",
  target: ({ host, port, timeoutMs }) => ({ host, port, timeout: timeoutMs / 1000 }),
  timeout: defaultTimeoutS,
  commands: "any",
  configuration: "texts",
  objects: true,
  hops: hopsOf,
  check: needlessArgs,
  repeatable: (operation) => operation === "query",
  excludesChecks: withoutChecks,
  compares: () => true,
  // A server discards a locked candidate when the session ends.
  rehearses: (_, { lock }) => (lock === false ? undefined : { validate: true }),
  undo: (_, { dry_run }) => (dry_run === true ? undefined : "confirmed_commit"),
  holds: () => ({ mostSeconds: mostRevertSeconds, extends: true }),
  discovers: ownFacts("netconf"),
  shows: runningBy("get-config", { source: "running", format: "xml" }),
  replaces: () => ({ args: { replace: true } }),
  load: () => import("./driver.ts"),
});
