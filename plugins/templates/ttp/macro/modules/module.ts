/** A Python module: names and their values. */

import { type Callable, type Kwargs, PyFunction, PyObject, type Value } from "../../../python/index.ts";
import { checked } from "../arguments.ts";

export class PyModule extends PyObject {
  override readonly typeName = "module";
  constructor(
    readonly name: string,
    private readonly names: ReadonlyMap<string, Value>,
  ) {
    super();
  }
  override repr(): string {
    return `<module '${this.name}'>`;
  }
  override getattr(name: string): Value | undefined {
    return this.names.get(name);
  }
}

/** @param parameters of its functions, see `checked`. */
export function makeModule(
  name: string,
  functions: Readonly<Record<string, Callable>>,
  values: Readonly<Record<string, Value>> = {},
  parameters: Readonly<Record<string, string>> = {},
): PyModule {
  const entries = Object.entries(functions).map(
    ([key, body]) => [key, new PyFunction(key, checked(key, body, parameters[key]))] as const,
  );
  return new PyModule(name, new Map<string, Value>([...entries, ...Object.entries(values)]));
}

/** An argument by position or name. */
export function argument(
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  at: number,
  name: string,
): Value | undefined {
  return args[at] ?? kwargs?.get(name);
}
