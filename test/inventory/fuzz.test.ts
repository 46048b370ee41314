/**
 * Any device or group is accepted, or refused with the position of the error; writing an accepted one again
 * changes nothing.
 */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { deviceFields, groupFields } from "../../src/api/inventory/inventory.ts";
import { ServiceError } from "../../src/base/errors.ts";
import type { Inventory } from "../../src/inventory/port.ts";
import { closeStore, makePlace, openStore } from "../store/support.ts";
import { admin, inventoryOn } from "./make.ts";

let inventory: Inventory;
beforeAll(async () => {
  const place = await makePlace("file");
  const store = await openStore(place);
  inventory = inventoryOn(store);
  return async () => {
    await closeStore(store);
    await place.remove();
  };
});

const name = fc.constantFrom("a", "b", "core", "Core", "constructor", "10.0.0.1", "-x", "", "r:1");
const words = fc.oneof(fc.jsonValue({ maxDepth: 3 }), name, fc.constantFrom(null, 22, -0, "10.0.0.1", "x"));
const member = fc.dictionary(fc.constantFrom("a", "timeout", "host", "password", "x"), words, { maxKeys: 3 });
const entryOf = (fields: readonly string[]) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ name, group: name, vars: member }, { requiredKeys: ["name"] }) },
    {
      weight: 3,
      arbitrary: fc.dictionary(fc.constantFrom(...fields, "sight"), fc.oneof(words, member), { maxKeys: 5 }),
    },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
const documents = fc.record({
  devices: fc.array(entryOf(Object.keys(deviceFields)), { maxLength: 3 }),
  groups: fc.array(
    fc.oneof(
      fc.record({ name, parent: name }, { requiredKeys: ["name"] }),
      entryOf(Object.keys(groupFields)),
    ),
    { maxLength: 3 },
  ),
});
const modes = fc.constantFrom("merge" as const, "replace" as const, "mirror" as const);

test("any inventory document is applied whole, or rejected with the position of each error", async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(documents, modes, async (document, mode) => {
      const { revision } = await inventory.snapshot();
      try {
        await inventory.apply(document, { mode }, admin);
        taken++;
        const again = await inventory.apply(document, { mode }, admin);
        expect(again).toMatchObject({ added: 0, changed: 0, removed: 0 });
        const snapshot = await inventory.snapshot();
        for (const device of snapshot.all()) expect(snapshot.from(device.name)).toBeDefined();
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        expect(error.kind).toBe("Validation");
        expect(error.detail?.issues).not.toEqual([]);
        expect((await inventory.snapshot()).revision).toBe(revision);
      }
    }),
    { numRuns: 200, seed: 17 },
  );
  expect(taken).toBeGreaterThan(10);
});
