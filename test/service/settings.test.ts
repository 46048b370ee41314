/** From the configuration to limits: the maximum share of one API key, for any operator settings. */
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { admissionLimits } from "../../src/service/settings.ts";

const mib = 1024 * 1024;
const limitsOf = (environment: Record<string, string>) => admissionLimits(loadConfig({ environment }));

test("one API key may use half of the bytes in flight", () => {
  const { bytes } = limitsOf({ PATCHBAY_MAX_IN_FLIGHT_MB: "64", PATCHBAY_MAX_BODY_MB: "16" });
  expect(bytes).toEqual({ inAll: 64 * mib, perKey: 32 * mib });
});

test("the byte limit always admits one body of maximum size per key, for two keys", () => {
  const { bytes } = limitsOf({ PATCHBAY_MAX_IN_FLIGHT_MB: "1", PATCHBAY_MAX_BODY_MB: "16" });
  expect(bytes).toEqual({ inAll: 32 * mib, perKey: 16 * mib });
});

test("the limits of requests, lists and rates are those of the settings", () => {
  expect(
    limitsOf({
      PATCHBAY_MAX_REQUESTS: "20",
      PATCHBAY_MAX_REQUESTS_PER_KEY: "10",
      PATCHBAY_MAX_LISTS: "4",
      PATCHBAY_MAX_LISTS_PER_KEY: "2",
      PATCHBAY_RATE_PER_KEY: "7",
      PATCHBAY_RATE_BURST: "70",
    }),
  ).toMatchObject({
    requests: { inAll: 20, perKey: 10 },
    lists: { inAll: 4, perKey: 2 },
    rate: { perSecond: 7, burst: 70 },
  });
});
