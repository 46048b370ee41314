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
import { type LibraryTemplate, TemplateSet } from "./library.ts";
import { createTextFsm } from "./machine.ts";
import { findMistakes } from "./mistakes.ts";
import { nearCommands, nearPlatforms } from "./near.ts";
import { platformNames } from "./platforms.ts";
import { starterSet } from "./starter.ts";
import { parseTable } from "./table.ts";
import { readTemplate } from "./template.ts";

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
