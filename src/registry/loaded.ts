/** From a manifest to its implementation, once per thread. */
import { ServiceError } from "../base/errors.ts";
import type { Implementation } from "../plugin/kit.ts";

export interface Loaded {
  /** The implementation of a plugin, built once with its kit; a failed load is tried again by the next task. */
  get<I, K>(key: string, load: Implementation<I, K>, kit: K): Promise<I>;
}

export function createLoaded(): Loaded {
  const instances = new Map<string, Promise<unknown>>();
  return {
    get<I, K>(key: string, load: Implementation<I, K>, kit: K): Promise<I> {
      // One key has one manifest and so one type: the map can not say that.
      const known = instances.get(key) as Promise<I> | undefined;
      if (known) return known;
      const made = build(key, load, kit);
      instances.set(key, made);
      made.catch(() => instances.delete(key));
      return made;
    },
  };
}

async function build<I, K>(key: string, load: Implementation<I, K>, kit: K): Promise<I> {
  try {
    return await (await load()).default(kit);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ServiceError("DriverError", `The plugin ${key} could not be loaded: ${why}`, undefined, {
      cause: error,
    });
  }
}
