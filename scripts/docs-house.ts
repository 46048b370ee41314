/** Generates the picture and the tables of docs/reference/modules.md from the rules. `--check` only compares. */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { assemblers, libraries } from "./house/library-rules.ts";
import { rooms } from "./house/rules.ts";
import { words } from "./house/word-rules.ts";

const targets: Readonly<Record<string, readonly string[]>> = {
  "docs/reference/modules.md": ["picture", "rooms", "words", "libraries"],
};

const blocks: Readonly<Record<string, () => string>> = {
  picture: () => ["```mermaid", "graph TD", ...arrows(), "```"].join("\n"),
  rooms: () =>
    table(
      ["Module", "Responsibility", "May import", "Public files"],
      Object.entries(rooms).map(([name, { does, mayImport, doors, makers }]) => [
        name,
        does,
        mayImport.join(", ") || "-",
        [
          doors === undefined ? (makers ? "all others" : "all") : doors.join(", "),
          ...(makers ? [`for ${assemblers.join(", ")}: ${makers.join(", ")}`] : []),
        ]
          .filter((text) => text !== "")
          .join("; "),
      ]),
    ),
  words: () =>
    table(
      ["API", "Place", "Purpose"],
      words.flatMap(({ what, places }) =>
        Object.keys(places).length === 0
          ? [[what, "nowhere", ""]]
          : Object.entries(places).map(([place, why]) => [what, place, why]),
      ),
    ),
  libraries: () =>
    table(
      ["Library", "Imported by"],
      Object.entries(libraries).map(([name, places]) => [name, places.join(", ")]),
    ),
};

/** Imports between rooms, without those implied by others: one line for all rooms with the same ones. */
function arrows(): string[] {
  const below = (room: string) => [
    ...new Set(
      (rooms[room]?.mayImport ?? []).map((place) => place.replace("patchbay/", "").split("/")[0] ?? place),
    ),
  ];
  const reached = (room: string): Set<string> =>
    new Set(below(room).flatMap((next) => [next, ...reached(next)]));
  const shown = (from: string) =>
    below(from).filter((to) => !below(from).some((other) => other !== to && reached(other).has(to)));
  const alike = Map.groupBy(Object.keys(rooms).reverse(), (from) => shown(from).sort().join(" & "));
  return [...alike].flatMap(([to, from]) => (to === "" ? [] : [`  ${from.join(" & ")} --> ${to}`]));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

for (const [target, names] of Object.entries(targets)) {
  const before = readFileSync(target, "utf8");
  const after = names.reduce((text, name) => {
    const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${target} has no block ${begin}`);
    return `${text.slice(0, from)}${begin}\n${blocks[name]?.() ?? ""}\n${text.slice(to)}`;
  }, before);
  if (!process.argv.includes("--check")) writeFileSync(target, after);
  else if (after !== before) {
    console.error(
      `${target} does not show scripts/house/rules.ts: run \`node scripts/run.mjs scripts/docs-house.ts\`.`,
    );
    process.exitCode = 1;
  }
}
