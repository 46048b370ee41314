/** Every `patchbay` command line in the documents exists, with its flags. */
import { readFileSync } from "node:fs";
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
