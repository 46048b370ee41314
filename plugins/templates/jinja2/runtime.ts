/** What exists while a template renders: output, frames of variables, the context that templates share. */
import { limitError, type Meter } from "../python/limits.ts";
import type { Site } from "../python/shape.ts";
import { Markup, Undefined, type UndefinedKind, type Value } from "../python/values.ts";
import type { FilterTable, TestTable } from "./filter.ts";
import { Layers, lookIn, type Variables } from "./layers.ts";
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

const blank: (Value | undefined)[][] = [];

/** A copy of an array is made in half the time that filling a new one takes. */
function blankSlots(size: number): (Value | undefined)[] {
  if (size > 64) return new Array<Value | undefined>(size).fill(undefined);
  let slots = blank[size];
  if (slots === undefined) {
    slots = new Array<Value | undefined>(size).fill(undefined);
    blank[size] = slots;
  }
  return slots.slice();
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
    this.slots = blankSlots(size);
    this.outer = outer ?? this;
  }
}

export type Expression = (frame: Frame) => Value;
export const BREAK = 1;
export const CONTINUE = 2;
/** Runs a statement; gives what ends those around it up to their loop, most often nothing. */
export type Action = (frame: Frame, out: Out) => typeof BREAK | typeof CONTINUE | undefined;
export type BlockBody = (context: RenderContext, out: Out) => void;

/** Captured text as a value: safe HTML where escaping is on, which may not be known while compiling. */
export function captured(text: string, escaping: { on: boolean; dynamic: boolean }, frame: Frame): Value {
  return (escaping.dynamic ? frame.context.autoescape : escaping.on) ? new Markup(text) : text;
}

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
  readonly library: {
    /** @throws TemplateError `TemplateNotFound`. */
    load(name: string): Template;
  };
  /** What looks like a mistake; each expression that printed an undefined value is told once. */
  readonly warn: (message: string) => void;
  readonly told: Set<Expression>;
  /** Templates by name: one that changes during a rendering does so for the next. */
  loaded: Map<string, Template> | undefined;
  /** The modules of templates that are imported without context, rendered once. */
  modules: Map<Template, Value> | undefined;
}

const NONE = new Map<string, never>();
/** Beyond, what an included template sees is copied: a look-up goes through all layers. */
const mostLayers = 6;

export class RenderContext {
  private own: Map<string, Value> | undefined;
  /** Another context sees what is set here so far: what is set from now on is not for it. */
  private ownIsSeen = false;
  private exports: Set<string> | undefined;
  private bodies: Map<string, BlockBody[]> | undefined;
  constructor(
    readonly run: Run,
    private readonly given: Variables,
    private readonly globals: Variables,
    readonly name: string | undefined,
    private readonly ownBlocks: ReadonlyMap<string, BlockBody>,
    /** Shared with derived contexts: the `autoescape` tag changes it for a while. */
    readonly escaping: { on: boolean } = { on: run.autoescape },
  ) {}
  /** What the template sets at its top. */
  get vars(): ReadonlyMap<string, Value> {
    return this.own ?? NONE;
  }
  set(name: string, value: Value): void {
    if (this.own === undefined || this.ownIsSeen) {
      this.own = new Map(this.own);
      this.ownIsSeen = false;
    }
    this.own.set(name, value);
  }
  /** Names that an import of the template sees. */
  get exported(): Set<string> {
    this.exports ??= new Set();
    return this.exports;
  }
  /** By name, those of child templates first. */
  get blocks(): Map<string, BlockBody[]> {
    this.bodies ??= new Map([...this.ownBlocks].map(([block, body]) => [block, [body]]));
    return this.bodies;
  }
  get meter(): Meter {
    return this.run.meter;
  }
  get autoescape(): boolean {
    return this.escaping.on;
  }
  resolve(name: string, site?: Site): Value | undefined {
    let value = this.own?.get(name);
    if (value === undefined) value = lookIn(this.given, name, site);
    return value === undefined ? lookIn(this.globals, name, undefined) : value;
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
  /** All variables as one map, with local ones over them. */
  all(locals: ReadonlyMap<string, Value> = NONE): ReadonlyMap<string, Value> {
    const all = new Map<string, Value>();
    for (const layer of [this.globals, this.given, this.own ?? NONE, locals]) {
      for (const [name, value] of layer.entries()) if (typeof name === "string") all.set(name, value);
    }
    return all;
  }
  /** All of it as it stands, with local variables over it; for what is included. */
  seenWith(locals: ReadonlyMap<string, Value>): { given: Variables; globals: Variables } {
    const { own, given, globals } = this;
    if (own === undefined && locals.size === 0) return { given, globals };
    this.ownIsSeen = true;
    const layers = new Layers(locals, own ?? NONE, given, globals);
    return { given: layers.depth > mostLayers ? this.all(locals) : layers, globals: NONE };
  }
  /** A context of its own that also sees local variables: for scoped blocks. */
  derived(locals: ReadonlyMap<string, Value>): RenderContext {
    const context = new RenderContext(this.run, this.all(locals), NONE, this.name, NONE, this.escaping);
    for (const [name, bodies] of this.blocks) context.blocks.set(name, bodies.slice());
    return context;
  }
}

/** A context beside the globals. */
export function newContext(run: Run, template: Template, variables: Variables): RenderContext {
  return new RenderContext(run, variables, run.globals, template.name, template.blocks);
}

/** A context that sees all that another one sees, and local variables too. */
export function sharedContext(
  from: RenderContext,
  template: Template,
  locals: ReadonlyMap<string, Value>,
): RenderContext {
  const { given, globals } = from.seenWith(locals);
  return new RenderContext(from.run, given, globals, template.name, template.blocks);
}
