/** Arguments of library functions: named ones take their place, and one that a function does not use is an error. */

import { type Callable, typeError, type Value } from "../../python/index.ts";

/** Notes which arguments a function reads. */
class NamedArguments extends Map<string, Value> {
  private readonly readNames = new Set<string>();
  override get(name: string): Value | undefined {
    this.readNames.add(name);
    return super.get(name);
  }
  override has(name: string): boolean {
    this.readNames.add(name);
    return super.has(name);
  }
  override [Symbol.iterator](): MapIterator<[string, Value]> {
    for (const name of super.keys()) this.readNames.add(name);
    return super[Symbol.iterator]();
  }
  override entries(): MapIterator<[string, Value]> {
    return this[Symbol.iterator]();
  }
  unread(): string | undefined {
    return [...super.keys()].find((name) => !this.readNames.has(name));
  }
}

/**
 * @param parameters as Python shows them: `data, selectors`, or with `/` at the end if none may be named. Absent: any
 * number of positional arguments.
 */
export function checked(name: string, body: Callable, parameters?: string): Callable {
  const listed = parameters?.split(", ").filter((parameter) => parameter !== "");
  const isPositional = listed?.at(-1) === "/";
  const names = isPositional ? [] : (listed ?? []);
  const most = listed === undefined ? undefined : listed.length - (isPositional ? 1 : 0);
  return (args, kwargs, meter) => {
    if (most !== undefined && args.length > most)
      throw typeError(
        `${name}() takes at most ${most} argument${most === 1 ? "" : "s"} (${args.length} given)`,
      );
    if (kwargs === undefined || kwargs.size === 0) return body(args, kwargs, meter);
    const all: (Value | undefined)[] = args.slice();
    const named = new NamedArguments();
    for (const [key, value] of kwargs) {
      const at = names.indexOf(key);
      if (at < 0) named.set(key, value);
      else if (all[at] === undefined) all[at] = value;
      else throw typeError(`${name}() got multiple values for argument '${key}'`);
    }
    // A place that stays free is undefined, for which each function has its default.
    const result = body(Array.from(all) as Value[], named, meter);
    const unused = named.unread();
    if (unused !== undefined) throw typeError(`${name}() got an unexpected keyword argument '${unused}'`);
    return result;
  };
}
