/** `namespace(...)`: an object whose attributes templates can set, also inside loops. */

import { type Meter, type PyDict, PyObject, repr, type Value } from "../../python/index.ts";

export class Namespace extends PyObject {
  override readonly typeName = "Namespace";
  constructor(private readonly attributes: PyDict) {
    super();
  }
  override repr(meter: Meter): string {
    return `<Namespace ${repr(this.attributes, meter)}>`;
  }
  override getattr(name: string): Value | undefined {
    return this.attributes.get(name);
  }
  override setattr(name: string, value: Value): void {
    this.attributes.set(name, value);
  }
}
