/** Restricts words to certain places: timers, the environment, runtime globals, plugin names. */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { holds, roomOf, type SourceFile, withoutComments } from "./source.ts";
import { words } from "./word-rules.ts";

/** Plugin names that are also ordinary words, so a use cannot be attributed. */
const namesThatAreWords: readonly string[] = [
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
const mayNamePlugins: readonly string[] = [
  "testkit",
  "commands/demo.ts",
  "client/defaults.ts",
  "console/forms/defaults.ts",
  "console/pages/recipes/template-engines.ts",
];

export function wordFaults(sources: readonly SourceFile[]): string[] {
  const code = sources.map(({ path, text }) => ({ path, text: withoutComments(text) }));
  const plugins = pluginNames();
  return [
    ...words.flatMap(({ what, pattern, places }) => {
      const users = code.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
      const allowed = Object.keys(places);
      return [
        ...users
          .filter((path) => !allowed.some((place) => holds(place, path)))
          .map((path) => `${path}: ${what}: only in the places listed in scripts/house/rules.ts`),
        ...allowed
          .filter((place) => !users.some((path) => holds(place, path)))
          .map((place) => `scripts/house/rules.ts: ${place} does not use ${what}: take it off the list`),
      ];
    }),
    ...code.flatMap(({ path, text }) => {
      if (roomOf(path) === "plugins" || mayNamePlugins.some((place) => holds(place, path))) return [];
      const named = plugins.exec(text)?.[1];
      return named === undefined ? [] : [`${path}: the core must not name plugins, and this names ${named}`];
    }),
  ];
}

function pluginNames(): RegExp {
  const names = ["drivers", "templates", "webhooks", "credentials", "inventory"]
    .filter((kind) => existsSync(join("plugins", kind)))
    .flatMap((kind) => readdirSync(join("plugins", kind)).map((entry) => join("plugins", kind, entry)))
    .filter((folder) => existsSync(join(folder, "plugin.ts")))
    .map((folder) => basename(folder))
    .filter((name) => !namesThatAreWords.includes(name));
  return new RegExp(`["'\x60](${names.join("|")})["'\x60]`);
}
