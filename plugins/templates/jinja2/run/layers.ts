/** Variables of an included template: layers over those of the including ones, without copying. */

import { PyDict, type Site, type Value } from "../../python/index.ts";
export type Variables = PyDict | Layers | ReadonlyMap<string, Value>;

export function lookIn(variables: Variables, name: string, site: Site | undefined): Value | undefined {
  if (variables instanceof PyDict) {
    return site === undefined ? variables.get(name) : variables.getAt(name, site);
  }
  return variables instanceof Layers ? variables.get(name, site) : variables.get(name);
}

export class Layers {
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
