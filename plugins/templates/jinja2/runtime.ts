/** What exists while a template renders: output, frames of variables, the context that templates share. */
import { limitError, type Meter } from "../python/limits.ts";
import { Undefined, type UndefinedKind, type Value } from "../python/values.ts";
import type { FilterTable, TestTable } from "./filter.ts";
import { missingName } from "./missing.ts";

/** Text that is being built; refuses to grow beyond its limit. */
export class Out {
  text = "";
  constructor(private readonly limit: number) {}
  write(piece: string): void {
    this.text += piece;
    if (this.text.length > this.limit) throw limitError(`more than ${this.limit} characters of output`);
  }
}

/** What one activation of a template's root knows besides its variables. */
export interface Root {
  parent: Template | undefined;
}

/** The variables of one activation of a root, block, macro or recursive loop. */
export class Frame {
  readonly slots: (Value | undefined)[];
  readonly outer: Frame;
  constructor(
    size: number,
    outer: Frame | undefined,
    readonly context: RenderContext,
    readonly root: Root,
  ) {
    this.slots = new Array<Value | undefined>(size).fill(undefined);
    this.outer = outer ?? this;
  }
}

export type Expression = (frame: Frame) => Value;
/** How a statement ended; `break` and `continue` end those around it up to their loop. */
export type Ending = 0 | 1 | 2;
export const NORMAL = 0;
export const BREAK = 1;
export const CONTINUE = 2;
export type Action = (frame: Frame, out: Out) => Ending;
export type BlockBody = (context: RenderContext, out: Out) => void;

export interface Template {
  readonly name: string | undefined;
  readonly blocks: ReadonlyMap<string, BlockBody>;
  render(context: RenderContext, out: Out): void;
}

/** One rendering: what all templates of it have in common. */
export interface Run {
  readonly meter: Meter;
  readonly undefinedKind: UndefinedKind;
  readonly autoescape: boolean;
  readonly newline: string;
  readonly filters: FilterTable;
  readonly tests: TestTable;
  readonly globals: ReadonlyMap<string, Value>;
  /** @throws TemplateError `TemplateNotFound`. */
  template(name: string): Template;
  /** The module of a template that is imported without context, rendered once. */
  readonly modules: Map<Template, Value>;
}

export class RenderContext {
  readonly vars = new Map<string, Value>();
  readonly exported = new Set<string>();
  readonly blocks = new Map<string, BlockBody[]>();
  constructor(
    readonly run: Run,
    readonly parent: ReadonlyMap<string, Value>,
    readonly name: string | undefined,
    blocks: ReadonlyMap<string, BlockBody>,
    /** Shared with derived contexts: the `autoescape` tag changes it for a while. */
    readonly escaping: { on: boolean } = { on: run.autoescape },
  ) {
    for (const [block, body] of blocks) this.blocks.set(block, [body]);
  }
  get meter(): Meter {
    return this.run.meter;
  }
  get autoescape(): boolean {
    return this.escaping.on;
  }
  resolve(name: string): Value | undefined {
    const value = this.vars.get(name);
    return value === undefined ? this.parent.get(name) : value;
  }
  /** `resolve` where what is missing becomes an undefined value. */
  lookUp(name: string): Value {
    const value = this.resolve(name);
    return value === undefined ? this.undefinedName(name) : value;
  }
  undefinedName(name: string): Undefined {
    return missingName(this.run.undefinedKind, name);
  }
  /** An undefined value that says `hint` when it is used. */
  undefined(hint: string): Undefined {
    return new Undefined(this.run.undefinedKind, hint, `{{ undefined value printed: ${hint} }}`);
  }
  /** All variables as one map. */
  all(): ReadonlyMap<string, Value> {
    return this.vars.size === 0 ? this.parent : new Map([...this.parent, ...this.vars]);
  }
  /** A context of its own that also sees local variables: for scoped blocks. */
  derived(locals: ReadonlyMap<string, Value>): RenderContext {
    const all = locals.size === 0 ? this.all() : new Map([...this.all(), ...locals]);
    const context = new RenderContext(this.run, all, this.name, new Map(), this.escaping);
    for (const [name, bodies] of this.blocks) context.blocks.set(name, bodies.slice());
    return context;
  }
}

/** The context a template is rendered in; `shared`: it sees the variables as they are, else beside the globals. */
export function newContext(
  run: Run,
  template: Template,
  variables: ReadonlyMap<string, Value>,
  shared: boolean,
  locals: ReadonlyMap<string, Value> = new Map(),
): RenderContext {
  let parent = variables;
  if (!shared && run.globals.size > 0) parent = new Map([...run.globals, ...variables]);
  if (locals.size > 0) parent = new Map([...parent, ...locals]);
  return new RenderContext(run, parent, template.name, template.blocks);
}
