/** What the engines have in common: what one offers, and what its host may give it. */
import { defaultTemplateLimits, type TemplateLimits } from "./limits.ts";

export interface TemplateEngine {
  /**
   * Compiles once, to run many times.
   * @param source template text; empty if `args` selects a template of the library.
   * @throws TemplateError
   */
  compile(source: string, args?: unknown): CompiledTemplate;
}

export interface CompiledTemplate {
  /** Likely mistakes in the template. */
  readonly warnings?: readonly string[];
  /**
   * @param input render: the context as JSON text, which keeps key order and number types; parse: the text.
   * @returns render: the text; parse: plain JSON values.
   * @throws TemplateError
   */
  run(input: string, ctx?: RunContext): unknown;
  /** Like `run`, but returns JSON text, for results whose key order or number types plain values would lose. */
  runJson?(input: string, ctx?: RunContext): string;
  /** False if files it was made from have changed: compile again. */
  current?(): boolean;
}

export interface RunContext {
  /** Receives likely mistakes in the template that only a run shows. */
  warn(message: string): void;
}

export const silent: RunContext = { warn: () => undefined };

export interface EngineHost {
  readonly limits: TemplateLimits;
  /** Text of a template that another one names; undefined if there is none. */
  readTemplate(name: string): string | undefined;
  /** The set of templates of an engine, by its name. */
  library(set: string): TemplateLibrary;
  readonly log: { debug(message: string): void };
}

/** A file of a tree that becomes part of a set, and its place there. */
export interface SetFile {
  readonly from: string;
  readonly to: string;
}

/** A set of templates: files by relative path. */
export interface TemplateLibrary {
  readonly installed: boolean;
  /** Changes with the content. */
  readonly stamp?: string | undefined;
  list(): readonly string[];
  read(path: string): string | undefined;
}

/** The host of an engine that is used by itself: no files, no sets, the default limits. */
export const hostOf = (given: Partial<EngineHost>): EngineHost => ({
  limits: defaultTemplateLimits,
  readTemplate: () => undefined,
  library: () => ({ installed: false, list: () => [], read: () => undefined }),
  log: { debug: () => undefined },
  ...given,
});
