/** A selector is evaluated in pieces, ends with its caller, and is refused if it takes too much work. */
import { expect, test } from "vitest";
import { yieldToEventLoop } from "../../src/base/time/yield.ts";
import type { EffectiveDevice } from "../../src/inventory/port.ts";
import { filteredDevices, matchingDevices } from "../../src/inventory/selector/matching-devices.ts";
import { readSelector } from "../../src/inventory/selector/selector.ts";

const facts = { facts: async () => new Map() };

function device(at: number): EffectiveDevice {
  const name = `ber-acc-${at}-${"v".repeat(50)}`;
  return {
    ...{ name, host: `10.0.${at >> 8}.${at & 255}`, hostKey: name, port: null, platform: "cisco_ios" },
    ...{ driver: null, site: "berlin", role: null, tags: ["a", "b"], group: "g", groups: ["g"] },
    ...{ enabled: true, credential: null, connection: {}, vars: {}, source: null },
    ...{ window: null, change: null, changeFrom: {}, lostGroup: undefined },
  };
}

const devices = Array.from({ length: 100_000 }, (_, at) => device(at));
const costly = Array.from({ length: 60 }, (_, at) => `name:${"*v".repeat(24)}*x${at}*`).join(" or ");

test("a costly selector is refused with what to do, and gives way until then", async () => {
  let turns = 0;
  let over = false;
  const evaluation = matchingDevices(devices, [readSelector(costly)], facts, { whose: "k1" });
  const refused = expect(evaluation.finally(() => (over = true))).rejects.toMatchObject({
    kind: "Validation",
    message: expect.stringMatching(/takes too much work: .* of 100000 devices; use fewer wildcards/),
    detail: { issues: [{ path: "select" }] },
  });
  while (!over) {
    turns++;
    await yieldToEventLoop();
  }
  await refused;
  expect(turns).toBeGreaterThan(50);
});

test("an evaluation ends with its caller", async () => {
  const gone = new AbortController();
  const selector = readSelector(costly);
  const evaluation = matchingDevices(devices, [selector], facts, { whose: "k1", signal: gone.signal });
  gone.abort();
  await expect(evaluation).rejects.toThrow();
  expect(selector.count.steps).toBeLessThan(10_000_000);
});

test("an ordinary selector over a hundred thousand devices takes a small part of what is allowed", async () => {
  const selector = readSelector("site:ber* and (tag:a or var.role:core) and not name:*lab*");
  const snapshot = { whose: "k1" };
  expect(await matchingDevices(devices, [selector], facts, snapshot)).toHaveLength(100_000);
  expect(selector.count.steps).toBeLessThan(3_000_000);
});

test("a filter by group alone includes disabled devices", async () => {
  const some = devices.slice(0, 10).map((one, at) => ({ ...one, enabled: at < 5 }));
  expect(await filteredDevices(some, { group: "G" }, facts, "k1")).toHaveLength(10);
  expect(await filteredDevices(some, { group: "other" }, facts, "k1")).toHaveLength(0);
  expect(await filteredDevices(some, { group: "g", select: "all" }, facts, "k1")).toHaveLength(5);
});
