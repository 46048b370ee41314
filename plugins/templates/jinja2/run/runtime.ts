/** Run-time state of a render: output, frames of variables, the context that templates share. */
import {
  limitError,
  Markup,
  type Meter,
  PyDict,
  type Site,
  Undefined,
  type UndefinedKind,
  type Value,
} from "../../python/index.ts";
import type { FilterTable, TestTable } from "../filters/kinds.ts";
import { missingName } from "./missing.ts";

/** Variables of an included template: layers over those of the including ones, without copying. */
type Variables = PyDict | Layers | ReadonlyMap<string, Value>;

function lookIn(variables: Variables, name: string, site: Site | undefined): Value | undefined {
  if (variables instanceof PyDict) {
    return site === undefined ? variables.get(name) : variables.getAt(name, site);
  }
  return variables instanceof Layers ? variables.get(name, site) : variables.get(name);
}

class Layers {
  readonly depth: number;
  constructor(
    private readonly locals: ReadonlyMap<string, Value>,
    private readonly assigned: ReadonlyMap<string, Value>,
    private readonly variables: Variables,
    private readonly globals: Variables,
  ) {
    this.depth = variables instanceof Layers ? variables.depth + 1 : 1;
  }

  get(name: string, site: Site | undefined): Value | undefined {
    let value = this.locals.get(name);
    if (value === undefined) value = this.assigned.get(name);
    if (value === undefined) value = lookIn(this.variables, name, site);
    return value === undefined ? lookIn(this.globals, name, undefined) : value;
  }

  /** Later layers shadow earlier ones. */
  *entries(): Iterable<[Value, Value]> {
    for (const layer of [this.globals, this.variables, this.assigned, this.locals]) yield* layer.entries();
  }
}

/** An output buffer with a size limit. */
export class Out {
  text = "";
  constructor(private readonly limit: number) {}
  write(piece: string): void {
    this.text += piece;
    if (this.text.length > this.limit) throw limitError(`more than ${this.limit} characters of output`);
  }
}

/** State of one activation of a template's root, besides its variables. */
export interface Root {
  parent: Template | undefined;
}

const blank: (Value | undefined)[][] = [];

/** Copying an array takes half the time of filling a new one. */
function blankSlots(size: number): (Value | undefined)[] {
  if (size > 64) return new Array<Value | undefined>(size).fill(undefined);
  let slots = blank[size];
  if (slots === undefined) {
    slots = new Array<Value | undefined>(size).fill(undefined);
    blank[size] = slots;
  }
  return slots.slice();
}

/** Variables of one activation of a root, block, macro or recursive loop. */
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
/** Runs a statement; returns BREAK or CONTINUE to leave the enclosing statements, usually nothing. */
export type Action = (frame: Frame, out: Out) => typeof BREAK | typeof CONTINUE | undefined;
export type BlockBody = (context: RenderContext, out: Out) => void;

/** Captured text as a value: safe HTML if escaping is on, which may only be known at run time. */
export function captured(text: string, escaping: { on: boolean; dynamic: boolean }, frame: Frame): Value {
  return (escaping.dynamic ? frame.context.autoescape : escaping.on) ? new Markup(text) : text;
}

export interface Template {
  readonly name: string | undefined;
  readonly blocks: ReadonlyMap<string, BlockBody>;
  render(context: RenderContext, out: Out): void;
}

/** State of a render that all its templates share. */
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
  /** Reports likely mistakes, once per expression that printed an undefined value. */
  readonly warn: (message: string) => void;
  readonly warned: Set<Expression>;
  /** Templates by name, so that a file that changes during a render takes effect in the next. */
  loaded: Map<string, Template> | undefined;
  /** Modules of templates imported without context, rendered once. */
  modules: Map<Template, Value> | undefined;
}

const NONE = new Map<string, never>();
/** Beyond this depth, an included template's variables are copied, because a lookup passes all layers. */
const maxLayers = 6;

export class RenderContext {
  private assigned: Map<string, Value> | undefined;
  /** Another context shares `assigned`: copy on write, so that it does not see later assignments. */
  private isShared = false;
  private exports: Set<string> | undefined;
  private bodies: Map<string, BlockBody[]> | undefined;
  constructor(
    readonly run: Run,
    private readonly variables: Variables,
    private readonly globals: Variables,
    readonly name: string | undefined,
    private readonly ownBlocks: ReadonlyMap<string, BlockBody>,
    /** Shared with derived contexts: the `autoescape` tag changes it temporarily. */
    readonly escaping: { on: boolean } = { on: run.autoescape },
  ) {}
  /** Variables set at the template's top level. */
  get vars(): ReadonlyMap<string, Value> {
    return this.assigned ?? NONE;
  }
  set(name: string, value: Value): void {
    if (this.assigned === undefined || this.isShared) {
      this.assigned = new Map(this.assigned);
      this.isShared = false;
    }
    this.assigned.set(name, value);
  }
  /** Names that importing templates see. */
  get exported(): Set<string> {
    this.exports ??= new Set();
    return this.exports;
  }
  /** Blocks by name, those of child templates first. */
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
    let value = this.assigned?.get(name);
    if (value === undefined) value = lookIn(this.variables, name, site);
    return value === undefined ? lookIn(this.globals, name, undefined) : value;
  }
  /** `resolve`, but a missing name becomes an undefined value. */
  lookUp(name: string): Value {
    const value = this.resolve(name);
    return value === undefined ? this.undefinedName(name) : value;
  }
  undefinedName(name: string): Undefined {
    return missingName(this.run.undefinedKind, name);
  }
  /** An undefined value with an error message. */
  undefined(hint: string): Undefined {
    return new Undefined(this.run.undefinedKind, hint, `{{ undefined value printed: ${hint} }}`);
  }
  /** All variables in one map; `locals` win. */
  all(locals: ReadonlyMap<string, Value> = NONE): ReadonlyMap<string, Value> {
    const visible = new Map<string, Value>();
    for (const layer of [this.globals, this.variables, this.assigned ?? NONE, locals]) {
      for (const [name, value] of layer.entries()) if (typeof name === "string") visible.set(name, value);
    }
    return visible;
  }
  /** A snapshot of all variables under `locals`, for an included template. */
  seenWith(locals: ReadonlyMap<string, Value>): { variables: Variables; globals: Variables } {
    const { assigned, variables, globals } = this;
    if (assigned === undefined && locals.size === 0) return { variables, globals };
    this.isShared = true;
    const layers = new Layers(locals, assigned ?? NONE, variables, globals);
    return { variables: layers.depth > maxLayers ? this.all(locals) : layers, globals: NONE };
  }
  /** A copy of this context that also sees local variables, for scoped blocks. */
  derived(locals: ReadonlyMap<string, Value>): RenderContext {
    const context = new RenderContext(this.run, this.all(locals), NONE, this.name, NONE, this.escaping);
    for (const [name, bodies] of this.blocks) context.blocks.set(name, bodies.slice());
    return context;
  }
}

/** A context that sees only its variables and the globals. */
export function newContext(run: Run, template: Template, variables: Variables): RenderContext {
  return new RenderContext(run, variables, run.globals, template.name, template.blocks);
}

/** A context that sees all variables of another one, and local ones. */
export function sharedContext(
  from: RenderContext,
  template: Template,
  locals: ReadonlyMap<string, Value>,
): RenderContext {
  const { variables, globals } = from.seenWith(locals);
  return new RenderContext(from.run, variables, globals, template.name, template.blocks);
}
