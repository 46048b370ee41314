/** Driver `netmiko`: the command lines of all platforms, over SSH and Telnet. */
import type { DriverPlugin } from "patchbay/plugin";
import { configureArgs, knownArgs, queryArgs } from "./args.ts";
import { connection, defaultTimeoutS, knownConnection } from "./connection.ts";
import { parsingOf } from "./parsing.ts";

const manifest = {
  api: 1,
  kind: "driver",
  name: "netmiko",
  connection,
  args: { query: queryArgs, configure: configureArgs },
  strategy: "pinned",
  knows: { connection: knownConnection, args: knownArgs },
  defaultTimeout: defaultTimeoutS,
  defaultPort: 22,
  platformField: "device_type",
  hops: ({ proxy_host: host }) => (typeof host === "string" ? [{ field: "proxy_host", host }] : []),
  // A transfer is no query, though it is asked for as one.
  repeatable: (operation, args) =>
    operation === "query" &&
    !(typeof args === "object" && args !== null && "file_transfer" in args && args.file_transfer),
  load: () => import("./driver.ts"),
} satisfies DriverPlugin;

export default { ...manifest, parsing: parsingOf };
