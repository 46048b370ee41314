/** Contract of a template engine: renders configuration or parses device output. Runs in a template process. */
import type { Context, Kit, Manifest, OutputOf, Schema } from "./kit/kit.ts";

export interface TemplateEnginePlugin extends Manifest<"template"> {
  readonly does: "render" | "parse";
  /** Validates `args` of a request; unknown keys are reported, not silently dropped. */
  readonly args: Schema;
  /** Whether a source looks like this engine's language; used if the request names no engine. */
  detects?(source: string): boolean;
  /** What `detects` looks for, in words; part of the error if no engine recognizes a source. */
  readonly looksFor?: string;
  /** If several engines recognize a source, the highest precedence wins; default 0. */
  readonly precedence?: number;
  /** True for the engine that is used if a request names none. */
  readonly default?: boolean;
  /** File extensions of templates in this language: a source that looks like such a file name is rejected. */
  readonly extensions?: readonly string[];
  /** A template set that selects a template by platform and command. */
  readonly set?: TemplateSet;
  /** Arguments that a request may also give outside `args` (`path`). */
  readonly ownFields?: readonly string[];
  /** For an engine that works by its arguments alone: a request with a template is rejected. */
  readonly withoutTemplate?: true;
  /** Only accepts templates below the operator's template roots (for an engine that runs host code). */
  readonly trustedSourcesOnly?: true;
  load(): Promise<{ default: MakeEngine<unknown, unknown> }>;
}

export interface TemplateSet {
  /** The request flag that selects the set; also the name of the argument (`use_ntc_template`). */
  readonly use: string;
  readonly args: string;
  /** The argument that receives the platform, under a driver's name for it. */
  readonly platform: string;
  /** Other arguments that may name the platform. */
  readonly platformFields?: readonly string[];
  /** For `patchbay templates install`. */
  install(): Promise<SetInstaller>;
}

export interface SetInstaller {
  /**
   * Selects the files of a tree that make up a set of this kind, and their destinations.
   * @param paths relative, with `/`
   * @throws TemplateError that says what was expected
   */
  chooseSetFiles(paths: readonly string[]): readonly { readonly from: string; readonly to: string }[];
  /** Checks that every template of the set is usable. */
  checkSet(library: TemplateLibrary): SetReport | Promise<SetReport>;
}

export interface SetReport {
  readonly templates: number;
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** Called once in each template process. */
export type MakeEngine<Args, Settings> = (kit: TemplateKit<Settings>) => TemplateEngine<Args>;

export interface TemplateEngineDefinition<A extends Schema, S extends Schema>
  extends Omit<TemplateEnginePlugin, "api" | "kind" | "args" | "settings" | "load"> {
  readonly settings?: S;
  readonly args: A;
  /** Given here, or as `load` with a module whose default export creates the engine. */
  compile?(
    source: string,
    args: OutputOf<A>,
    kit: TemplateKit<OutputOf<S>>,
  ): CompiledTemplate | Promise<CompiledTemplate>;
  load?(): Promise<{ default: MakeEngine<OutputOf<A>, OutputOf<S>> }>;
}

export interface TemplateEngine<Args = unknown> {
  /**
   * Compiles once; the result is cached by the hash of source and args. May load what a template needs.
   * @param source template text; empty if `args` selects a template of the library.
   * @param args output of the plugin's `args` schema.
   * @throws TemplateError
   */
  compile(source: string, args: Args): CompiledTemplate | Promise<CompiledTemplate>;
}

export interface CompiledTemplate {
  /**
   * Likely mistakes in the template; reported with each result, like `ctx.warn` during a run. If the engine's `args`
   * have `strict` set to true, the host turns them into errors.
   */
  readonly warnings?: readonly string[];
  /**
   * @param input render: the context as JSON text (preserves key order and number types); parse: the raw text.
   * @returns render: the text; parse: records, plain JSON values.
   * @throws TemplateError
   */
  run(input: string, ctx: Context): unknown;
  /** Like `run`, but returns JSON text, for results whose key order or number types plain values would lose. */
  runJson?(input: string, ctx: Context): string;
  /** False if source files have changed: the template is compiled again. */
  current?(): boolean;
}

export interface TemplateKit<Settings = unknown> extends Kit<Settings> {
  /** Text of a template below the template roots, or undefined. Names are relative; `..` cannot leave a root. */
  readTemplate(name: string): string | undefined;
  /** An installed template set (`patchbay templates install`), by the name of its engine. */
  library(set: string): TemplateLibrary;
  readonly limits: TemplateLimits;
}

export interface TemplateLibrary {
  /** Whether anything is installed. */
  readonly installed: boolean;
  /** Changes with each installation. */
  readonly stamp?: string | undefined;
  /** Relative paths of all files, sorted. */
  list(): readonly string[];
  read(path: string): string | undefined;
}

/** Limits that an engine enforces by throwing `TemplateLimit`. */
export interface TemplateLimits {
  /** Characters of the output. */
  readonly outputChars: number;
  /** Characters of any single string. */
  readonly stringChars: number;
  /** Elements of any single list. */
  readonly listItems: number;
  /** Loop iterations, calls and operators per run. */
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

/** The one error an engine throws on purpose; if the template is at fault, `line` (1-based) is its position. */
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
