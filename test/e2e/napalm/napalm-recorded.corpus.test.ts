/**
 * The napalm driver on NAPALM's recorded devices: same results as NAPALM, over the real transports and the
 * API.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemNames } from "../../../plugins/drivers/napalm/system-names.ts";
import { recorded, recordedDrivers } from "../../../scripts/conformance/napalm.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";

/** Required percentage. */
const bar = 97;
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
});

describe.each(recordedDrivers.filter((name) => systemNames.some((known) => known === name)))(
  "%s",
  (driver) => {
    test("returns what NAPALM returns", async () => {
      const outcomes = await recorded(service, driver, 4);
      const failed = outcomes.filter(({ why }) => why !== undefined);
      expect(outcomes.length).toBeGreaterThan(10);
      expect((100 * failed.length) / outcomes.length, JSON.stringify(failed, null, 1)).toBeLessThanOrEqual(
        100 - bar,
      );
    });
  },
);

test("eos also over http", async () => {
  const outcomes = await recorded(service, "eos", 4, { plain: true });
  expect(outcomes.filter(({ why }) => why !== undefined)).toEqual([]);
});
