import { ServiceError } from "../../../src/base/errors.ts";

/** Has the members that are given; each other one is a method that finds nothing, also one that is added later. */
export function doubleOf<T extends object>(given: Partial<T>): T {
  const notThere = () => Promise.reject(new ServiceError("NotFound", "There is nothing of that name."));
  return new Proxy(given, {
    get: (target, name) =>
      name in target || name === "then" || typeof name === "symbol" ? Reflect.get(target, name) : notThere,
  }) as T;
}
