/** Where the core may name a plugin, as data. */

/** Names of plugins that stand for other things, too: which is meant can not be told. */
export const namesThatAreWords: readonly string[] = ["json", "command", "file"];
/** The core knows no plugin by name, except here. */
export const mayNamePlugins: readonly string[] = [
  "simulator",
  "commands/demo.ts",
  "client/defaults.ts",
  "console/defaults.ts",
  "console/pages/template-engines.ts",
  "inventory/import/tool-drivers.ts",
];
