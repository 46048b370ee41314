/** Calls one getter of a system, with nothing kept between calls. */
import * as v from "valibot";
import { type Method, methodArguments } from "../../../plugins/drivers/napalm/methods.ts";
import type { Answers, Getters } from "../../../plugins/drivers/napalm/system.ts";

function isMethod(name: string): name is Method {
  return Object.hasOwn(methodArguments, name);
}

/** A method's result, with default arguments. */
export async function answerOf<Device>(
  getters: Getters<Device>,
  device: Device,
  method: string,
  kwargs: object,
) {
  if (!isMethod(method)) throw new Error(`${method} is no method`);
  const getter: unknown = getters[method];
  if (typeof getter !== "function") throw new Error(`the system has no ${method}`);
  return getter(device, v.parse(methodArguments[method], kwargs));
}

/** A cache that keeps nothing. */
export const nothingKept: Answers = {
  async once<T>(_question: string, ask: () => Promise<string>, read?: (answer: string) => T) {
    const answer = await ask();
    return read === undefined ? answer : read(answer);
  },
} as Answers;
