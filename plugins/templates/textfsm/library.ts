/** A template set, installed or built in: lookup by platform and command, with compiled templates cached. */
import { TemplateError, type TemplateLibrary, type TemplateLimits } from "../python/text.ts";
import { type IndexRow, TemplateIndex } from "./index-file.ts";
import { createTextFsm, type TextFsmMachine } from "./machine.ts";
import { readTemplate, type TextFsmTemplate } from "./template.ts";

export interface LibraryTemplate {
  readonly template: TextFsmTemplate;
  readonly machine: TextFsmMachine;
}

export class TemplateSet {
  private loadedIndex: TemplateIndex | undefined;
  private readonly compiled = new Map<string, LibraryTemplate>();
  constructor(
    private readonly library: TemplateLibrary,
    private readonly limits: TemplateLimits,
  ) {}

  get index(): TemplateIndex {
    if (this.loadedIndex === undefined) {
      const text = this.library.read("index");
      if (text === undefined)
        throw new TemplateError(
          "TemplateNotFound",
          "textfsm: the installed template set has no index: run `patchbay templates install` again",
        );
      this.loadedIndex = new TemplateIndex(text);
    }
    return this.loadedIndex;
  }

  /** The templates of a row, in order. */
  load(row: IndexRow): readonly LibraryTemplate[] {
    return row.templates.split(":").map((name) => {
      let ready = this.compiled.get(name);
      if (ready === undefined) {
        ready = this.compile(name);
        this.compiled.set(name, ready);
      }
      return ready;
    });
  }

  private compile(name: string): LibraryTemplate {
    const source = this.library.read(name);
    if (source === undefined) {
      throw new TemplateError(
        "TemplateNotFound",
        `the index names ${name}, but the template set has no such file`,
      );
    }
    const template = withName(name, () => readTemplate(source));
    return { template, machine: createTextFsm(template, this.limits) };
  }
}

function withName<T>(template: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new TemplateError(error.kind, `${template}: ${error.message}`, { ...error.at, template });
  }
}
