/** Contract of a template engine: renders configuration or parses device text. Runs in a template process. */
import type { Context, Kit, Manifest, OutputOf, Schema } from "./kit.ts";

export interface TemplateEnginePlugin extends Manifest<"template"> {
  readonly does: "render" | "parse";
  /** Checks `args` of a request; unknown keys are reported, not dropped in silence. */
  readonly args: Schema;
  /** Whether a source without a named engine looks like this engine's language. */
  detects?(source: string): boolean;
  /** What `detects` looks for, in words, told where no engine knows a source. */
  readonly looksFor?: string;
  /** Of several engines that know a source the one with the highest is taken; default 0. */
  readonly precedence?: number;
  /** True for the engine of requests that name none. */
  readonly default?: boolean;
  /** Ends of names that template files of this language have: a source that looks like such a name is refused. */
  readonly extensions?: readonly string[];
  /** A template set that picks a template by platform and command. */
  readonly set?: TemplateSet;
  /** Arguments that a request may give beside `args`, too (`path`). */
  readonly ownFields?: readonly string[];
  /** For an engine that works by its arguments alone: a request that gives a template is refused. */
  readonly withoutTemplate?: true;
  /** Only templates below the operator's template roots (an engine that runs host code). */
  readonly trustedSourcesOnly?: true;
  load(): Promise<{ default: MakeEngine<unknown, unknown> }>;
}

export interface TemplateSet {
  /** The flag of a request that asks for the set, and the field of its arguments (`use_ntc_template`). */
  readonly use: string;
  readonly args: string;
  /** The argument that takes the platform by a driver's name for it. */
  readonly platform: string;
  /** Other arguments by which a caller may tell the platform. */
  readonly platformFields?: readonly string[];
  /** For `patchbay templates install`. */
  install(): Promise<SetInstaller>;
}

export interface SetInstaller {
  /**
   * Which files of a tree are a set of this kind, and where they go.
   * @param paths relative, with `/`
   * @throws TemplateError that says what was looked for
   */
  chooseSetFiles(paths: readonly string[]): readonly { readonly from: string; readonly to: string }[];
  /** Whether each template of it can be used. */
  checkSet(library: TemplateLibrary): {
    readonly templates: number;
    readonly problems: readonly { readonly path: string; readonly message: string }[];
  };
}

/** Called once in each template process. */
export type MakeEngine<Args, Settings> = (kit: TemplateKit<Settings>) => TemplateEngine<Args>;

export interface TemplateEngineDefinition<A extends Schema, S extends Schema>
  extends Omit<TemplateEnginePlugin, "api" | "kind" | "args" | "settings" | "load"> {
  readonly settings?: S;
  readonly args: A;
  /** Here, or `load` with a module whose default export makes the engine. */
  compile?(source: string, args: OutputOf<A>, kit: TemplateKit<OutputOf<S>>): CompiledTemplate;
  load?(): Promise<{ default: MakeEngine<OutputOf<A>, OutputOf<S>> }>;
}

export interface TemplateEngine<Args = unknown> {
  /**
   * Compiles once; the result is cached by the hash of source and args.
   * @param source template text; empty when `args` selects a template of the library.
   * @param args what the plugin's schema `args` gave.
   * @throws TemplateError
   */
  compile(source: string, args: Args): CompiledTemplate;
}

export interface CompiledTemplate {
  /**
   * What looks like a mistake in the template: told beside each result, as what a run tells `ctx.warn`. Where the
   * engine's `args` know `strict` and it is true, the host makes errors of them.
   */
  readonly warnings?: readonly string[];
  /**
   * @param input render: the context as JSON text (key order and number kinds are kept); parse: the raw text.
   * @returns render: the text; parse: records, plain JSON values.
   * @throws TemplateError
   */
  run(input: string, ctx: Context): unknown;
  /** The same as JSON text, for an engine whose results have an order of keys or kinds of numbers that plain values lose. */
  runJson?(input: string, ctx: Context): string;
  /** False when files that it was built from are others now: it is compiled anew. */
  current?(): boolean;
}

export interface TemplateKit<Settings = unknown> extends Kit<Settings> {
  /** Text of a template below the template roots, or undefined; names are relative, `..` never leaves a root. */
  readTemplate(name: string): string | undefined;
  /** An installed template set (`patchbay templates install`), by the name of its engine. */
  library(set: string): TemplateLibrary;
  readonly limits: TemplateLimits;
}

export interface TemplateLibrary {
  /** Whether anything is installed. */
  readonly installed: boolean;
  /** Another one after each installation. */
  readonly stamp?: string | undefined;
  /** Relative paths of all files, sorted. */
  list(): readonly string[];
  read(path: string): string | undefined;
}

/** What an engine counts and refuses with `TemplateLimit`. */
export interface TemplateLimits {
  /** Characters of the output. */
  readonly outputChars: number;
  /** Characters of any one string that is built. */
  readonly stringChars: number;
  /** Elements of any one list that is built. */
  readonly listItems: number;
  /** Loop turns, calls and operator applications of one run. */
  readonly steps: number;
  /** Nesting of calls, includes, blocks and literals. */
  readonly depth: number;
}

export const defaultTemplateLimits: TemplateLimits = {
  outputChars: 16 * 1024 * 1024,
  stringChars: 16 * 1024 * 1024,
  listItems: 1_000_000,
  steps: 20_000_000,
  depth: 200,
};

export type TemplateErrorKind = "TemplateSyntax" | "TemplateRuntime" | "TemplateLimit" | "TemplateNotFound";

/** The one error an engine throws on purpose; where the template is at fault, `line` (1-based) says where. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  constructor(
    readonly kind: TemplateErrorKind,
    message: string,
    readonly at: { line?: number; column?: number; template?: string; state?: string } = {},
  ) {
    super(message);
  }
}
