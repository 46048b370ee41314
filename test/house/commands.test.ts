/** Every `patchbay` command line in the documents exists, with its flags. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { papers } from "../../scripts/house/papers.ts";
import { type CommandInfo, describeCommand } from "../../src/commands/describe.ts";
import { commandLine } from "../../src/commands/index.ts";

const root = describeCommand(await commandLine({ threadEntry: "", mainPath: "" }));

/** From inline code, console prompts and shell blocks. */
function linesOf(paper: string): string[] {
  const text = readFileSync(paper, "utf8");
  const spans = [...text.matchAll(/`(patchbay [^`\n]+)`/g)];
  const shells = [...text.matchAll(/^(?:\$ )?(?:sudo )?(?:-u patchbay )?(?:\S*\/)?(patchbay [a-z].*)$/gm)];
  return [...spans, ...shells].map((match) => match[1] ?? "");
}

/** @returns errors in the line */
function faultsOf(line: string): string[] {
  // What follows is another command, a file, a comment, or a device command.
  const [own = ""] = line.split(/ (?:--|#|>|<|\|\|?|&&?) /);
  const words = own.split(/\s+/).slice(1);
  let places: CommandInfo[] = [root];
  while (places.some(({ commands }) => commands.length > 0) && words[0] !== undefined) {
    const names = words[0].split(/\\?\|/);
    if (names[0]?.startsWith("-")) break;
    const below = places.flatMap(({ commands }) => commands).filter(({ name }) => names.includes(name));
    if (below.length < names.length) return [`${line}: there is no command ${words[0]}`];
    places = below;
    words.shift();
  }
  const knownFlags = [root, ...places].flatMap(({ options }) => options.map(({ long }) => long));
  return words
    .map((word) => /^\[?(--[a-z][a-z0-9-]*)/.exec(word)?.[1])
    .filter((flag) => flag !== undefined && !knownFlags.includes(flag))
    .map((flag) => `${line}: there is no flag ${flag}`);
}

test("an unknown command or flag in a document is detected", () => {
  expect(faultsOf("patchbay job <id> --retry")).toEqual([]);
  expect(faultsOf("patchbay job <id> --again")).toHaveLength(1);
  expect(faultsOf("patchbay keys list")).toHaveLength(1);
});

test.each(papers())("%s shows only existing commands", (paper) => {
  expect(linesOf(paper).flatMap(faultsOf)).toEqual([]);
});

test("docs/guides/operations.md shows at least 20 commands", () => {
  expect(linesOf("docs/guides/operations.md").length).toBeGreaterThan(20);
});

/** Words that would say again what another one says: `remove`, `edit`, `show`, `list`. */
const doubles = /^(?:delete|rm|drop|destroy|erase|change|update|modify|get|read|view|print|ls|create|new)$/;
/** They say something else: a driver is made from a pattern. */
const others = ["plugin new"];

const commandsBelow = ({ commands }: CommandInfo, path = ""): string[] =>
  commands.flatMap((one) => [`${path}${one.name}`, ...commandsBelow(one, `${path}${one.name} `)]);

const withThoseBelow = (one: CommandInfo): CommandInfo[] => [one, ...one.commands.flatMap(withThoseBelow)];

test("one act has one word in all commands, and in the names of all operations", () => {
  const commands = commandsBelow(root).filter((path) => path.includes(" ") && !others.includes(path));
  expect(commands.length).toBeGreaterThan(80);
  expect(commands.filter((path) => doubles.test(path.split(" ").at(-1) ?? ""))).toEqual([]);
  const replacing = root.commands
    .flatMap(withThoseBelow)
    .filter(({ about }) => /^create or replace/.test(about));
  expect(new Set(replacing.map(({ name }) => name))).toEqual(new Set(["put"]));
  expect(readdirSync("src/http/routes", { recursive: true, encoding: "utf8" }).flatMap(operationsIn)).toEqual(
    [],
  );
});

/** What removes something is called so; `read` and `change` are the words of the API for one thing. */
function operationsIn(file: string): string[] {
  if (!file.endsWith(".ts")) return [];
  const ids = readFileSync(`src/http/routes/${file}`, "utf8").matchAll(/\bid: "(\w+)"/g);
  return [...ids].flatMap(([, id = ""]) => (/^(?:delete|drop|update|create|show)[A-Z]/.test(id) ? [id] : []));
}
