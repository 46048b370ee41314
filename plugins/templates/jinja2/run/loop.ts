/** The special variable `loop`. */

import {
  type Kwargs,
  type Meter,
  PyFunction,
  PyObject,
  same,
  signature,
  typeError,
  type Undefined,
  type Value,
} from "../../python/index.ts";

/** The items of a loop. */
export interface Items {
  /** `undefined` at the end. */
  next(): Value | undefined;
  /** Undefined if it is unknown without iterating. */
  readonly length: number | undefined;
}

export function arrayItems(items: readonly Value[]): Items {
  let at = 0;
  return {
    next: () => (at < items.length ? items[at++] : undefined),
    // A list may grow during the loop.
    get length() {
      return items.length;
    },
  };
}

export function iteratorItems(iterator: Iterator<Value>): Items {
  const next = (): Value | undefined => {
    const turn = iterator.next();
    return turn.done === true ? undefined : turn.value;
  };
  return { next, length: undefined };
}

const bindOne = signature("loop", ["iterable"], false);

export class LoopContext extends PyObject {
  override get typeName(): string {
    return "LoopContext";
  }
  index0 = -1;
  private size: number | undefined;
  private after: Value | undefined;
  private current: Value | undefined;
  private before: Value | undefined;
  private changedTo: readonly Value[] | undefined;
  constructor(
    private items: Items,
    private readonly depth0: number,
    private readonly recurse: ((items: Value, depth0: number) => Value) | undefined,
    private readonly undefinedValue: (hint: string) => Undefined,
  ) {
    super();
  }

  /** The next item of the loop; `undefined` at the end. */
  next(): Value | undefined {
    const item = this.after === undefined ? this.items.next() : this.after;
    this.after = undefined;
    if (item === undefined) return undefined;
    this.index0++;
    this.before = this.current;
    this.current = item;
    return item;
  }

  private peek(): Value | undefined {
    if (this.after === undefined) this.after = this.items.next();
    return this.after;
  }

  override length(): number {
    this.size ??= this.items.length;
    if (this.size !== undefined) return this.size;
    const rest: Value[] = [];
    for (let item = this.items.next(); item !== undefined; item = this.items.next()) rest.push(item);
    this.items = arrayItems(rest);
    this.size = rest.length + this.index0 + 1 + (this.after === undefined ? 0 : 1);
    return this.size;
  }

  override repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.length()}>`;
  }

  private static readonly members = new Map<string, (loop: LoopContext) => Value>([
    ["index", ({ index0 }) => index0 + 1],
    ["index0", ({ index0 }) => index0],
    ["first", ({ index0 }) => index0 === 0],
    ["last", (loop) => loop.peek() === undefined],
    ["length", (loop) => loop.length()],
    ["revindex", (loop) => loop.length() - loop.index0],
    ["revindex0", (loop) => loop.length() - loop.index0 - 1],
    ["previtem", (loop) => loop.orNone(loop.index0 === 0 ? undefined : loop.before, "previous")],
    ["nextitem", (loop) => loop.orNone(loop.peek(), "next")],
    ["depth", ({ depth0 }) => depth0 + 1],
    ["depth0", ({ depth0 }) => depth0],
    ["cycle", (loop) => new PyFunction("cycle", (args) => loop.cycle(args), "method")],
    ["changed", (loop) => new PyFunction("changed", (args) => loop.changed(args), "method")],
  ]);

  override getattr(name: string): Value | undefined {
    return LoopContext.members.get(name)?.(this);
  }

  private orNone(item: Value | undefined, position: string): Value {
    return item === undefined ? this.undefinedValue(`there is no ${position} item`) : item;
  }

  private cycle(args: readonly Value[]): Value {
    const item = args[this.index0 % args.length];
    if (item === undefined) throw typeError("no items for cycling given");
    return item;
  }

  private changed(values: readonly Value[]): boolean {
    const last = this.changedTo;
    const alike = last?.length === values.length && last.every((value, i) => same(value, values[i] ?? null));
    if (!alike) this.changedTo = values;
    return !alike;
  }

  override call(args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter): Value {
    const [items = null] = bindOne(args, kwargs);
    if (this.recurse === undefined) {
      throw typeError("The loop must have the 'recursive' marker to be called recursively.");
    }
    meter.enter();
    const text = this.recurse(items, this.depth0 + 1);
    meter.leave();
    return text;
  }
}
