/** The TextFSM engine: parses with the caller's template, or with one selected by platform and command. */
import * as v from "valibot";
import {
  type CompiledTemplate,
  type EngineHost,
  hostOf,
  type TemplateEngine,
  TemplateError,
} from "../python/text.ts";
import { type TextFsmArgs, textFsmArgs } from "./args.ts";
import type { TemplateIndex } from "./index-file.ts";
import { type LibraryTemplate, TemplateSet } from "./library.ts";
import { createTextFsm } from "./machine.ts";
import { platformNames } from "./platforms.ts";
import type { Rule } from "./rule.ts";
import { starterSet } from "./starter.ts";
import { parseTable } from "./table.ts";
import { readTemplate, type TextFsmTemplate } from "./template.ts";

const onlyStarter =
  "only the starter set is there: install the community's set with `patchbay templates install`, or give a template";

export function createEngine(given: Partial<EngineHost> = {}): TemplateEngine {
  const kit = hostOf(given);
  const installed = kit.library("textfsm");
  const starter = new TemplateSet(starterSet(), kit.limits);
  let current: { readonly version: string | undefined; readonly set: TemplateSet } | undefined;

  /** An installed set replaces the starter set entirely; it may change while the process runs. */
  function activeSet(): TemplateSet {
    if (!installed.installed) return starter;
    const version = installed.stamp ?? installed.read("index");
    if (current === undefined || current.version !== version) {
      current = { version, set: new TemplateSet(installed, kit.limits) };
    }
    return current.set;
  }

  /** The templates for a command; throws if there are none. */
  function select(set: TemplateSet, args: TextFsmArgs): readonly LibraryTemplate[] {
    const { platform, device_type: deviceType, command } = args;
    const names =
      platform !== undefined ? [platform] : deviceType !== undefined ? platformNames(deviceType) : [];
    if (names.length === 0 || command === undefined) {
      const message = "textfsm: give a template, or platform (or device_type) and command";
      throw new TemplateError("TemplateNotFound", message);
    }
    for (const name of names) {
      const row = set.index.find(name, command);
      if (row !== undefined) return set.load(row);
    }
    throw notFound(set, names, command);
  }

  function notFound(set: TemplateSet, names: readonly string[], command: string): TemplateError {
    const [platform = ""] = names;
    const near = nearCommands(set.index, names, command);
    const isKnownPlatform = names.some((name) => set.index.ofPlatform(name).length > 0);
    let hint = "";
    if (near.length > 0) hint = `; near: ${near.map((text) => `"${text}"`).join(", ")}`;
    else if (!isKnownPlatform) {
      const platforms = nearPlatforms(set.index, platform);
      hint = `; the platform is not in the template set${platforms.length > 0 ? ` (it has ${platforms.join(", ")})` : ""}`;
    }
    const install = set === starter ? `; ${onlyStarter}` : "";
    const message = `textfsm: no template for platform "${platform}" and command "${command}"${hint}${install}`;
    return new TemplateError("TemplateNotFound", message);
  }

  return {
    compile(source, rawArgs): CompiledTemplate {
      const args = v.parse(textFsmArgs, rawArgs ?? {});
      const atEnd = args.eof ?? true;
      if (source.trim() === "") {
        const set = activeSet();
        const templates = select(set, args);
        return {
          current: () => activeSet() === set,
          run(text) {
            const { header, rows } = parseTable(templates, text, atEnd);
            const names = header.map((name) => name.toLowerCase());
            return toRecords(
              names,
              rows.map((row) => header.map((name) => row.get(name) ?? "")),
            );
          },
        };
      }
      const template = readTemplate(source);
      const machine = createTextFsm(template, kit.limits);
      return {
        warnings: findMistakes(template),
        run: (text) => toRecords(machine.header, machine.run(text, atEnd)),
      };
    },
  };
}

function toRecords<Cell>(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
): Record<string, Cell>[] {
  const unusual = header.includes("__proto__");
  return rows.map((cells) => {
    const record: Record<string, Cell> = unusual ? Object.create(null) : {};
    for (let column = 0; column < header.length; column++) {
      const cell = cells[column];
      if (cell !== undefined) record[header[column] ?? ""] = cell;
    }
    return record;
  });
}

const maxShown = 5;

/** As a person would type it: `sh[[ow]] ver[[sion]]` -> `show version`. */
function plainCommand(command: string): string {
  return command
    .replace(/\[\[(.+?)\]\]/g, "$1")
    .replace(/\$$/, "")
    .replace(/\\(.)/g, "$1");
}

function nearCommands(index: TemplateIndex, platforms: readonly string[], command: string): string[] {
  const rows = platforms.flatMap((platform) => index.ofPlatform(platform));
  const commands = [...new Set(rows.map((row) => plainCommand(row.command)))];
  const commandWords = words(command);
  return commands
    .map((text) => ({ text, score: likeness(commandWords, words(text)) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.text.length - b.text.length)
    .slice(0, maxShown)
    .map(({ text }) => text);
}

function nearPlatforms(index: TemplateIndex, platform: string): string[] {
  const names = [...new Set(index.rows.map((row) => row.platform))].filter((name) => /^\w+$/.test(name));
  const parts = platform.toLowerCase().split("_");
  return names
    .map((name) => ({ name, score: name.split("_").filter((part) => parts.includes(part)).length }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.name.localeCompare(b.name))
    .slice(0, maxShown)
    .map(({ name }) => name);
}

const words = (text: string) =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");

/** Counts common words, abbreviations half; the first word (`show`) counts little. */
function likeness(expected: readonly string[], offered: readonly string[]): number {
  let score = 0;
  expected.forEach((word, index) => {
    const weight = index === 0 ? 0.1 : 1;
    if (offered.includes(word)) score += weight;
    else if (offered.some((other) => other.startsWith(word) || word.startsWith(other))) score += weight / 2;
  });
  return score < 0.2 ? 0 : score - 0.05 * Math.abs(expected.length - offered.length);
}

const EVERY_LINE = new Set(["^", "^.*", "^.*$", "^(.*)", "^(.*)$", "^.*?$"]);
const ARROW_WITHOUT_BLANK =
  /\S->\s*(?:(?:Continue|Next|Error)(?:\.\w+)?|Record|NoRecord|Clear|Clearall|Start|End|EOF)?(?:\s+\w+)?$/;

/** Finds likely mistakes in a valid template: unused values and states, unreachable rules. */
function findMistakes({ values, states }: TextFsmTemplate): string[] {
  const mistakes: string[] = [];
  const reached = reachedStates(states);
  for (const [name, rules] of states) {
    if (!reached.has(name)) mistakes.push(`no rule leads to the state '${name}'`);
    for (const { pattern, line } of rules)
      if (ARROW_WITHOUT_BLANK.test(pattern.source))
        mistakes.push(`line ${line}: '->' needs a blank in front, this one belongs to the expression`);
    const at = rules.findIndex(takesEveryLine);
    const behind = at < 0 ? undefined : rules[at + 1];
    if (behind !== undefined)
      mistakes.push(`line ${behind.line}: never tried, the rule of line ${rules[at]?.line} takes every line`);
  }
  const used = [...states].flatMap(([name, rules]) => (reached.has(name) ? rules : []));
  for (const { name } of values)
    if (!used.some(({ pattern }) => pattern.groupIndex.has(name)))
      mistakes.push(`no rule that can be reached uses the value '${name}'`);
  const records = used.some(({ action }) => action.recordOperator === "Record");
  if (states.get("Start")?.length === 0)
    mistakes.push("the state 'Start' has no rules: nothing is ever matched");
  else if (!records && states.has("EOF"))
    mistakes.push("no rule records, and the state 'EOF' records nothing either: there are never any records");
  return mistakes;
}

function takesEveryLine({ pattern, action }: Rule): boolean {
  return action.lineOperator !== "Continue" && EVERY_LINE.has(pattern.source);
}

function reachedStates(states: TextFsmTemplate["states"]): Set<string> {
  const reached = new Set(["Start", "End", "EOF"]);
  const open = ["Start"];
  for (let name = open.pop(); name !== undefined; name = open.pop())
    for (const { action } of states.get(name) ?? [])
      if (action.lineOperator !== "Error" && action.target !== "" && !reached.has(action.target)) {
        reached.add(action.target);
        open.push(action.target);
      }
  return reached;
}
