/** Converts results to plain values for JSON.stringify, which takes a third of the time of our own writer. */

import { limitError, type Meter } from "../limits.ts";
import { PyDict } from "../values/dict.ts";
import type { Shape } from "../values/shape.ts";
import type { Value } from "../values/values.ts";

const MAX_DEPTH = 200;

/** Keys that a JavaScript object would reorder, or that are not own properties. */
const MISPLACED = /^(?:\d{1,10}|__proto__)$/;

/** JSON of a value; undefined if keys would be reordered or a number would change its type. */
export function nativeJson(value: Value, meter: Meter): string | undefined {
  const plain = new Plain(meter);
  const converted = plain.of(value, 0);
  if (plain.failed) return undefined;
  const text = JSON.stringify(converted);
  // Text near the limit is left to the exact count of our own writer.
  return text.length > meter.limits.outputChars ? undefined : text;
}

class Plain {
  failed = false;
  private length = 0;
  private readonly shapes = new Map<Shape, boolean>();
  private lastShape: Shape | undefined;

  constructor(private readonly meter: Meter) {}

  of(value: Value, depth: number): unknown {
    if (typeof value === "string") {
      this.count(value.length + 2);
      return value;
    }
    if (value === null || typeof value === "boolean" || typeof value === "number") return value;
    if (depth > MAX_DEPTH) this.failed = true;
    if (this.failed) return null;
    this.meter.step();
    if (Array.isArray(value)) return this.list(value, depth + 1);
    if (value instanceof PyDict) return this.dictionary(value, depth + 1);
    this.failed = true;
    return null;
  }

  private count(length: number): void {
    this.length += length;
    if (this.length > this.meter.limits.outputChars) throw limitError("the results are too large");
  }

  private list(items: readonly Value[], depth: number): unknown[] {
    const list: unknown[] = [];
    for (const item of items) list.push(this.of(item, depth));
    return list;
  }

  private dictionary(dict: PyDict, depth: number): unknown {
    const object: Record<string, unknown> = {};
    const { shaped } = dict;
    if (shaped === undefined) {
      dict.each((key, item) => {
        if (typeof key !== "string" || MISPLACED.test(key)) this.failed = true;
        else {
          this.count(key.length);
          object[key] = this.of(item, depth);
        }
      });
      return object;
    }
    const { shape, items } = shaped;
    if (shape !== this.lastShape && !this.isKnown(shape)) {
      this.failed = true;
      return null;
    }
    const { names } = shape;
    for (let i = 0; i < items.length; i++) object[names[i] ?? ""] = this.of(items[i] ?? null, depth);
    return object;
  }

  private isKnown(shape: Shape): boolean {
    let keepsOrder = this.shapes.get(shape);
    if (keepsOrder === undefined) {
      keepsOrder = !shape.names.some((name) => MISPLACED.test(name));
      this.shapes.set(shape, keepsOrder);
    }
    if (keepsOrder) this.lastShape = shape;
    return keepsOrder;
  }
}
