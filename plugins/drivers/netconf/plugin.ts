/** Driver `netconf`: any server of RFC 6241 over SSH, by operations and YANG models. */
import { defineDriver } from "patchbay/plugin";
import { withoutChecks } from "../shared/checks.ts";
import { queryOf, showSeconds } from "../shared/configuration-query.ts";
import { hopsOf } from "../shared/jump-hosts.ts";
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
  discovers: (platform) => ({
    command: "facts",
    platform: platform ?? "netconf",
    structured: true,
    ownOnly: true,
  }),
  shows({ parts }) {
    const shown = parts.filter((part) => part === "running");
    return queryOf(
      shown.map((part) => ({ part, command: "get-config" })),
      { args: { source: "running", format: "xml", timeout: showSeconds }, platform: undefined },
    );
  },
  replaces: () => ({ args: { replace: true } }),
  load: () => import("./driver.ts"),
});
