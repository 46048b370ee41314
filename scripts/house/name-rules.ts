/** Where the core may name a plugin, as data. */

/** Plugin names that are also ordinary words, so a use cannot be attributed. */
export const namesThatAreWords: readonly string[] = [
  "json",
  "command",
  "file",
  "csv",
  "url",
  "git",
  "ansible",
  "oxidized",
  "own",
  // The SSH subsystem of the protocol.
  "netconf",
  // A word of configurations.
  "snmp",
  // A sender of deliveries.
  "netbox",
  // A scheme of HTTP authentication.
  "basic",
];
/** The core must not name plugins except here. */
export const mayNamePlugins: readonly string[] = [
  "testkit",
  "commands/demo.ts",
  "client/defaults.ts",
  "console/forms/defaults.ts",
  "console/pages/recipes/template-engines.ts",
];
