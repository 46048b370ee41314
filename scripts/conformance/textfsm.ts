/** The TextFSM cases: templates in a request, tables of several templates, and selection by the set's index. */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as corpus from "../../plugins/templates/textfsm/test/corpus.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { type Asker, each, judge, type Outcome } from "./ask.ts";

type Parsed = Pick<corpus.ParseCase, "header" | "rows">;

/** Records with keys in the order of the template's values. */
function recordsOf({ header, rows }: Parsed): Record<string, unknown>[] {
  return rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [header[at] ?? "", cell])));
}

const sameRecords = (expected: Parsed) => (data: unknown) =>
  isDeepStrictEqual(data, recordsOf(expected)) &&
  (!Array.isArray(data) || data.every((one) => isDeepStrictEqual(Object.keys(one), [...expected.header])));

const lower = ({ header, rows }: Parsed): Parsed => ({
  header: header.map((name) => name.toLowerCase()),
  rows,
});

export function givenTemplates(
  asker: Asker,
  name: "ntc" | "google" | "crafted",
  width: number,
): Promise<Outcome[]> {
  return each(corpus.parseCases(name), width, async (one) => {
    const template = one.template_text ?? corpus.setTemplate(one.template ?? "");
    const args = one.eof ? undefined : { eof: false };
    const answer = await asker.parse({
      engine: "textfsm",
      template,
      text: one.raw,
      ...(args ? { args } : {}),
    });
    return judge(one.id, answer, one.error, sameRecords(one));
  });
}

/**
 * The same outputs without a template: the folder name is the command. Outputs of several templates are
 * tables.
 */
export async function selected(asker: Asker, width: number): Promise<Outcome[]> {
  await asker.install(corpus.communityFolder());
  const all = corpus.parseCases("ntc");
  const several = new Set(all.filter(({ id }) => id.includes("#")).map(({ id }) => id.replace(/#.*/, "")));
  const single = all.filter(({ id }) => !several.has(id.replace(/#.*/, "")));
  return each(single, width, async (one) => {
    const [platform = "", command = ""] = one.id.split("/");
    const set = { platform, command: command.replaceAll("_", " ") };
    const answer = await asker.parse({ engine: "textfsm", set, text: one.raw });
    return judge(one.id, answer, false, sameRecords(textCells(lower(one))));
  });
}

/** With a set, every cell is text: null in a list becomes None. */
function textCells({ header, rows }: Parsed): Parsed {
  const element = (one: unknown): unknown => (one === null ? "None" : one);
  return {
    header,
    rows: rows.map((cells) => cells.map((cell) => (Array.isArray(cell) ? cell.map(element) : cell))),
  };
}

export async function tables(asker: Asker, width: number): Promise<Outcome[]> {
  return each(corpus.tableCases(), width, async (one) => {
    const { platform, command } = one;
    const answer = await asker.parse({ engine: "textfsm", set: { platform, command }, text: one.raw });
    return judge(one.id, answer, false, sameRecords(lower(one)));
  });
}

/** Tests the community's index with templates that return their own name, which shows the selection. */
export async function picked(asker: Asker, width: number): Promise<Outcome[]> {
  const folder = tempFolder("patchbay-index-");
  try {
    writeMarkers(folder);
    await asker.install(folder);
    return await each(corpus.indexCases(), width, async (one) => {
      const { platform, command } = one;
      const text = one.template?.replaceAll(":", "\n") ?? "";
      const answer = await asker.parse({ engine: "textfsm", set: { platform, command }, text });
      return judge(one.id, answer, one.template === null, (data) => namesOf(data) === one.template);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeMarkers(folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(join(corpus.communityFolder(), "index"), join(folder, "index"));
  const names = readdirSync(corpus.communityFolder()).filter((name) => name.endsWith(".textfsm"));
  for (const [at, name] of names.entries()) {
    const own = name.replace(/[^A-Za-z0-9_]/g, "\\$&");
    writeFileSync(
      join(folder, name),
      `Value picked${at} (${own})\n\nStart\n  ^\${picked${at}}$$ -> Record\n`,
    );
  }
}

function namesOf(data: unknown): string | undefined {
  return Array.isArray(data) && data.length === 1 ? Object.values(data[0]).join(":") : undefined;
}
