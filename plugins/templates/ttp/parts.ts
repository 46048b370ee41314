/**
 * Parts of the engine that few templates need. Code asks for one while a template compiles; one that is not loaded
 * yet ends the attempt, is loaded, and the template compiles again. So a run never waits for a part.
 */

/** Not an error of a template: code that handles those lets it pass. */
class NotLoaded extends Error {
  constructor(readonly part: Part<unknown>) {
    super("a part of the engine is not loaded");
  }
}

export class Part<Module> {
  private module: Module | undefined;
  constructor(private readonly importModule: () => Promise<Module>) {}

  get isLoaded(): boolean {
    return this.module !== undefined;
  }
  async load(): Promise<void> {
    this.module ??= await this.importModule();
  }
  /** The part, if it is loaded; asked while a template compiles, and after that in its runs. */
  get use(): Module {
    if (this.module === undefined) throw new NotLoaded(this);
    return this.module;
  }
}

export const parts = {
  cerberus: new Part(() => import("./cerberus/functions.ts")),
  deepdiff: new Part(() => import("./deepdiff/functions.ts")),
  jinja2: new Part(() => import("../jinja2/index.ts")),
  modules: new Part(() => import("./macro/modules/index.ts")),
  setModules: new Part(() => import("./set-modules/index.ts")),
  tables: new Part(() => import("./formatters/tables.ts")),
  yaml: new Part(() => import("../python/yaml.ts")),
};

const ofFunctions: ReadonlyMap<string, Part<unknown>> = new Map<string, Part<unknown>>([
  ["cerberus", parts.cerberus],
  ["validate", parts.cerberus],
  ["deepdiff", parts.deepdiff],
]);
const ofFormats: ReadonlyMap<string, Part<unknown>> = new Map<string, Part<unknown>>([
  ["jinja2", parts.jinja2],
  ["yaml", parts.yaml],
  ...["table", "csv", "tabulate"].map((name): [string, Part<unknown>] => [name, parts.tables]),
]);

/** For a function of a group, variable or output. */
export const needsFunction = (name: string): void => void ofFunctions.get(name)?.use;

/** For the format of an output. */
export const needsFormat = (name: string): void => void ofFormats.get(name)?.use;

/** For an import in a macro. */
export function needsModule(name: string): void {
  void parts.modules.use;
  if (name.startsWith("ttp_templates.")) void parts.setModules.use;
}

/** For Python code: through `_ttp_` it reaches every function by a name that only its run knows. */
export function needsForCode(source: string): void {
  if (source.includes("_ttp_")) for (const part of Object.values(parts)) void part.use;
}

/** Loads all, for work that cannot wait. */
export const loadParts = async (all: Iterable<Part<unknown>> = Object.values(parts)): Promise<void> => {
  await Promise.all([...all].map((part) => part.load()));
};

/** @param compile may run several times, until it needs no further part. */
export async function withParts<Result>(compile: () => Result): Promise<Result> {
  for (;;) {
    try {
      return compile();
    } catch (error) {
      if (!(error instanceof NotLoaded)) throw error;
      await error.part.load();
    }
  }
}
