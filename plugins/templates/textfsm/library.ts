/** One template set, installed or built in: look-up by platform and command, templates compiled once. */
import { TemplateError, type TemplateLibrary, type TemplateLimits } from "patchbay/plugin";
import { type IndexRow, readIndex, type TemplateIndex } from "./index-file.ts";
import { createTextFsm, type TextFsmMachine } from "./machine.ts";
import { readTemplate, type TextFsmTemplate } from "./template.ts";

export interface LibraryTemplate {
  readonly template: TextFsmTemplate;
  readonly machine: TextFsmMachine;
}

export interface TemplateSet {
  readonly index: TemplateIndex;
  find(platform: string, command: string): IndexRow | undefined;
  /** The templates of a row, in its order. */
  load(row: IndexRow): readonly LibraryTemplate[];
}

export function createTemplateSet(library: TemplateLibrary, limits: TemplateLimits): TemplateSet {
  let index: TemplateIndex | undefined;
  const compiled = new Map<string, LibraryTemplate>();

  function getIndex(): TemplateIndex {
    if (index === undefined) {
      const text = library.read("index");
      if (text === undefined)
        throw new TemplateError("TemplateNotFound", "the installed template set has no index");
      index = readIndex(text);
    }
    return index;
  }

  function load(name: string): LibraryTemplate {
    let ready = compiled.get(name);
    if (ready === undefined) {
      const source = library.read(name);
      if (source === undefined) {
        throw new TemplateError(
          "TemplateNotFound",
          `the index names ${name}, but the template set has no such file`,
        );
      }
      const template = withName(name, () => readTemplate(source));
      ready = { template, machine: createTextFsm(template, limits) };
      compiled.set(name, ready);
    }
    return ready;
  }

  return {
    get index() {
      return getIndex();
    },
    find: (platform, command) => getIndex().find(platform, command),
    load: (row) => row.templates.split(":").map(load),
  };
}

function withName<T>(template: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new TemplateError(error.kind, `${template}: ${error.message}`, { ...error.at, template });
  }
}
