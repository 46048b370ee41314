/**
 * Contract of `observations`: facts about devices are merged, sealed, published by revision, and deleted with
 * the device.
 */
import { expect, test } from "vitest";
import type { NewObservation } from "../../../src/store/port.ts";
import { type MakeStorePlace, useStore } from "./fixture.ts";
import { inventoryEntry, inventoryWrite } from "./inventory.ts";

const nothing = { seenAt: null, loginFailedAt: null, loginError: null, facts: null };
const observation = (key: string, more: Partial<NewObservation>): NewObservation => ({
  key,
  ...nothing,
  ...more,
});

export function observationsContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("the latest fact of each kind is kept; devices outside the inventory are skipped", async () => {
    const { inventory, observations } = fixture.store;
    await inventory.write(inventoryWrite(0, { devices: [inventoryEntry("a")] }));
    await observations.write([observation("a", { seenAt: 2_000 }), observation("b", { seenAt: 2_000 })]);
    await observations.write([
      observation("a", { seenAt: 1_000, loginFailedAt: 3_000, loginError: "AuthenticationFailed" }),
    ]);
    await observations.write([observation("a", { loginFailedAt: 2_500, loginError: "ConnectionTimeout" })]);
    await observations.write([observation("a", { facts: '{"version":"1"}' })]);
    expect(await observations.of(["a", "b"])).toEqual([
      {
        ...{ key: "a", seenAt: 2_000, loginFailedAt: 3_000, loginError: "AuthenticationFailed" },
        ...{ facts: '{"version":"1"}', factsAt: expect.any(Number), revision: 1 },
      },
    ]);
  });

  test("discoveries are read in pages by revision, those of one write together", async () => {
    const { inventory, observations } = fixture.store;
    const keys = Array.from({ length: 5 }, (_, at) => `d${at}`);
    await inventory.write(inventoryWrite(0, { devices: keys.map((key) => inventoryEntry(key)) }));
    await observations.write(keys.map((key) => observation(key, { facts: "{}" })));
    await observations.write([
      observation("d3", { facts: '{"model":"x"}' }),
      observation("d4", { seenAt: 5 }),
    ]);
    const all = await observations.discovered(0, 2);
    expect(all.map(({ key, revision }) => `${key} ${revision}`).sort()).toEqual([
      "d0 1",
      "d1 1",
      "d2 1",
      "d4 1",
    ]);
    expect(await observations.discovered(1, 2)).toMatchObject([{ key: "d3", facts: '{"model":"x"}' }]);
  });

  test("facts are deleted with their device, and a new device of that name has none", async () => {
    const { inventory, observations } = fixture.store;
    await inventory.write(inventoryWrite(0, { devices: [inventoryEntry("a")] }));
    await observations.write([observation("a", { facts: "{}" })]);
    await inventory.write(inventoryWrite(1, { devices: [inventoryEntry("a", null)] }));
    await inventory.write(inventoryWrite(2, { devices: [inventoryEntry("a")] }));
    expect(await observations.of(["a"])).toEqual([]);
  });

  test("learnt host keys are found by host", async () => {
    const { hostKeys, observations } = fixture.store;
    await hostKeys.learn("10.0.0.1", 22, { type: "ssh-ed25519", fingerprint: "SHA256:x" });
    await hostKeys.learn("10.0.0.1", 22, { type: "ssh-ed25519", fingerprint: "SHA256:y" }, ["jump"]);
    expect(await observations.hostKeys(["10.0.0.1", "10.0.0.2"])).toEqual([
      { host: "10.0.0.1", port: 22, type: "ssh-ed25519", fingerprint: "SHA256:x" },
    ]);
  });
}
