/** NAPALM's recorded device responses with the expected results, which lie beside the checkout. */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import type { Getters } from "../../../plugins/drivers/napalm/system.ts";
import { shared } from "../../../scripts/testbed/shared.ts";
import { answerOf } from "./answer-of.ts";

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
  return readFileSync(shared("corpora/napalm/cases.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.includes(`"driver": "${driver}"`) || line.includes(`"driver":"${driver}"`))
    .map((line) => v.parse(recordedCase, JSON.parse(line)))
    .filter((one) => one.driver === driver);
}

/** The conformance test's own comparison. */
const comparison = v.parse(
  v.looseObject({ difference: v.function(), expectations: v.function() }),
  await import(shared("replay/compare.mjs")),
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
