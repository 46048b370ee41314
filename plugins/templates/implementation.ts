/** Makes plugins of the engines, which know nothing of the service: translates their errors, and finds file names. */
import {
  type CompiledTemplate,
  type Context,
  type MakeEngine,
  type SetInstaller,
  TemplateError,
  type TemplateKit,
} from "patchbay/plugin";
import type * as engines from "./python/text.ts";

interface Engine<Args> {
  compile(source: string, args: Args): engines.CompiledTemplate | Promise<engines.CompiledTemplate>;
}

/** A template whose text is the name of a file is the most common mistake. */
interface Options {
  /** Such a text is no template of this language; otherwise it is only suspicious. */
  readonly refusesFileNames?: boolean;
}

/** @param load the package of the engine, which is loaded with the first template. */
export async function implementation<Args>(
  load: () => Promise<{ createEngine(host: TemplateKit): Engine<Args> }>,
  { refusesFileNames = false }: Options = {},
): Promise<{ default: MakeEngine<Args, unknown> }> {
  const [{ createEngine }, translation] = await Promise.all([load(), loadTranslation()]);
  const make: MakeEngine<Args, unknown> = (kit) => {
    const engine = createEngine(kit);
    return {
      async compile(source, args) {
        const hints = looksLikeFileName(source) ? [fileNameHint(source)] : [];
        if (refusesFileNames && hints[0] !== undefined) throw new TemplateError("TemplateSyntax", hints[0]);
        const template = await translation.later(async () => engine.compile(source, args));
        return asPlugin(template, hints, translation.now);
      },
    };
  };
  return { default: make };
}

/** Runs work and translates the errors of engines. */
interface Translation {
  now<Result>(work: () => Result): Result;
  later<Result>(work: () => Promise<Result>): Promise<Result>;
}

function asPlugin(
  { warnings = [], runJson, ...template }: engines.CompiledTemplate,
  hints: readonly string[],
  translated: Translation["now"],
): CompiledTemplate {
  const all = [...warnings, ...hints];
  return {
    ...template,
    ...(all.length > 0 ? { warnings: all } : {}),
    ...(runJson && { runJson: (input: string, ctx: Context) => translated(() => runJson(input, ctx)) }),
    run: (input, ctx) => translated(() => template.run(input, ctx)),
  };
}

export async function installer(load: () => Promise<SetInstaller>): Promise<SetInstaller> {
  const [{ chooseSetFiles, checkSet }, translation] = await Promise.all([load(), loadTranslation()]);
  return {
    chooseSetFiles: (paths) => translation.now(() => chooseSetFiles(paths)),
    checkSet: (library) => translation.later(async () => checkSet(library)),
  };
}

/** Loaded with the engines: a manifest is read without them. */
async function loadTranslation(): Promise<Translation> {
  const { TemplateError: EngineError } = await import("./python/text.ts");
  const ofPlugin = (error: unknown) =>
    error instanceof EngineError ? new TemplateError(error.kind, error.message, error.at) : error;
  return {
    now(work) {
      try {
        return work();
      } catch (error) {
        throw ofPlugin(error);
      }
    },
    async later(work) {
      try {
        return await work();
      } catch (error) {
        throw ofPlugin(error);
      }
    },
  };
}

const FILE_NAME = /^[\w./\\~:-]+\.(?:textfsm|template|tpl|ttp|txt|j2|jinja2?|cfg|conf)$/i;

function looksLikeFileName(source: string): boolean {
  return source.length < 500 && FILE_NAME.test(source.trim());
}

function fileNameHint(source: string): string {
  const name = source.trim();
  return `'${name}' looks like the name of a file: send the text of the template, or file://${name} for one below the template roots`;
}
