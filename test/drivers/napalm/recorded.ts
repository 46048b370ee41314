/**
 * NAPALM's recorded device responses with the expected results: `../shared/corpora/napalm`, next to the
 * checkout.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as v from "valibot";
import { type Method, methodArguments } from "../../../plugins/drivers/napalm/methods.ts";
import type { Answers, Getters } from "../../../plugins/drivers/napalm/system.ts";

const shared = resolve(import.meta.dirname, "../../../../shared");

const call = v.looseObject({
  method: v.string(),
  kwargs: v.record(v.string(), v.unknown()),
  requests: v.array(v.looseObject({ file: v.nullish(v.string()) })),
});
const recordedCase = v.looseObject({
  id: v.string(),
  driver: v.string(),
  calls: v.array(call),
  files: v.record(v.string(), v.string()),
  clock: v.optional(v.number()),
  expected: v.unknown(),
});
export type RecordedCase = v.InferOutput<typeof recordedCase>;

export function casesOf(driver: string): readonly RecordedCase[] {
  return readFileSync(resolve(shared, "corpora/napalm/cases.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.includes(`"driver": "${driver}"`) || line.includes(`"driver":"${driver}"`))
    .map((line) => v.parse(recordedCase, JSON.parse(line)))
    .filter((one) => one.driver === driver);
}

/** The conformance test's own comparison. */
const comparison = v.parse(
  v.looseObject({ difference: v.function(), expectations: v.function() }),
  await import(resolve(shared, "replay/compare.mjs")),
);
const expectations = v.array(v.object({ call, expected: v.unknown() }));

/**
 * Differences between the getters' results and the expected ones: one line for each differing call.
 * @param device device access for the getters, backed by the case's files
 */
export async function faultsOf<Device>(recorded: RecordedCase, getters: Getters<Device>, device: Device) {
  const faults: string[] = [];
  const shift = recorded.clock === undefined ? undefined : Date.now() / 1000 - recorded.clock;
  for (const { call, expected } of v.parse(expectations, comparison.expectations(recorded))) {
    const actual = JSON.parse(JSON.stringify(await answerOf(getters, device, call.method, call.kwargs)));
    const fault = comparison.difference(expected, actual, { shift });
    if (fault !== undefined) faults.push(`${call.method}: ${String(fault)}`);
  }
  return faults;
}

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
