/** The special variable `loop`. */
import { signature } from "../python/args.ts";
import { same } from "../python/equal.ts";
import { typeError } from "../python/errors.ts";
import type { Meter } from "../python/limits.ts";
import type { Kwargs } from "../python/values.ts";
import { PyFunction, PyObject, type Undefined, type Value } from "../python/values.ts";

/** What a loop runs over, one item after the other. */
export interface Items {
  /** `undefined` at the end. */
  next(): Value | undefined;
  /** Where it is known without running through. */
  readonly length: number | undefined;
}

export function arrayItems(items: readonly Value[]): Items {
  let at = 0;
  return {
    next: () => (at < items.length ? items[at++] : undefined),
    get length() {
      return items.length;
    },
  };
}

export function iteratorItems(iterator: Iterator<Value>, length?: number): Items {
  return {
    next() {
      const turn = iterator.next();
      return turn.done === true ? undefined : turn.value;
    },
    length,
  };
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
    if (this.size !== undefined) return this.size;
    const known = this.items.length;
    if (known !== undefined) {
      this.size = known;
      return known;
    }
    const rest: Value[] = [];
    for (let item = this.items.next(); item !== undefined; item = this.items.next()) rest.push(item);
    this.items = arrayItems(rest);
    this.size = rest.length + this.index0 + 1 + (this.after === undefined ? 0 : 1);
    return this.size;
  }

  override repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.length()}>`;
  }

  override getattr(name: string): Value | undefined {
    switch (name) {
      case "index":
        return this.index0 + 1;
      case "index0":
        return this.index0;
      case "first":
        return this.index0 === 0;
      case "last":
        return this.peek() === undefined;
      case "length":
        return this.length();
      case "revindex":
        return this.length() - this.index0;
      case "revindex0":
        return this.length() - this.index0 - 1;
      case "previtem":
        return this.index0 === 0 ? this.undefinedValue("there is no previous item") : this.before;
      case "nextitem":
        return this.nextItem();
      case "depth":
        return this.depth0 + 1;
      case "depth0":
        return this.depth0;
      case "cycle":
        return new PyFunction("cycle", (args) => this.cycle(args), "method");
      case "changed":
        return new PyFunction("changed", (args) => this.changed(args), "method");
      default:
        return undefined;
    }
  }

  private nextItem(): Value {
    const item = this.peek();
    return item === undefined ? this.undefinedValue("there is no next item") : item;
  }

  private cycle(args: readonly Value[]): Value {
    const item = args[this.index0 % args.length];
    if (item === undefined) throw typeError("no items for cycling given");
    return item;
  }

  private changed(values: readonly Value[]): boolean {
    const last = this.changedTo;
    if (
      last !== undefined &&
      last.length === values.length &&
      last.every((one, i) => same(one, values[i] ?? null))
    ) {
      return false;
    }
    this.changedTo = values;
    return true;
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
