/** Checks that tests mirror the source: test/<room> for src/<room>, test/<family> for plugins/<family>. */
import { existsSync, readdirSync } from "node:fs";
import { rooms } from "./rules.ts";
import { roomOf, type SourceFile } from "./source.ts";

/** Test folders that mirror no room, and their subject. */
const others: Readonly<Record<string, string>> = {
  e2e: "the program as it is started",
  examples: "examples/",
  chaos: "scripts/chaos",
  bench: "scripts/bench and scripts/profile",
  testbed: "scripts/testbed",
  house: "scripts/house and the papers of the house",
  support: "helpers that tests of several rooms share",
  drivers: "plugins/drivers",
  templates: "plugins/templates",
  webhooks: "plugins/webhooks",
  credentials: "plugins/credentials",
};

export function testFolders(): string[] {
  const within = (folder: string) =>
    readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return within("test").flatMap(({ name }) =>
    within(`test/${name}`).some((inner) => `${name}/${inner.name}` in rooms)
      ? within(`test/${name}`).map((inner) => `${name}/${inner.name}`)
      : [name],
  );
}

export function mirrorFaults(sources: readonly SourceFile[], folders = testFolders()): string[] {
  const tested = (room: string) =>
    readdirSync(`test/${room}`, { recursive: true }).some((name) => String(name).endsWith(".test.ts"));
  const needed = Object.keys(rooms).filter((room) => existsSync(`src/${room}`));
  // Rooms with only types and names are tested through their users.
  const acts = new Set(
    sources.filter(({ text }) => /\bfunction\b|\bclass\b/.test(text)).map(({ path }) => roomOf(path)),
  );
  return [
    ...folders
      .filter((name) => !needed.includes(name) && !(name in others))
      .map((name) => `test/${name}: there is no room src/${name}`),
    ...needed
      .filter((room) => acts.has(room) && !(folders.includes(room) && tested(room)))
      .map((room) => `src/${room}: there is no test in test/${room}`),
  ];
}
