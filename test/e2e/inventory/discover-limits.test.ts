/**
 * POST /inventory/discover has the limits of a bulk, in devices and bytes (413) and in waiting jobs (429),
 * and then probes nothing.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({
    env: { PATCHBAY_MAX_BULK: "5", PATCHBAY_MAX_BULK_MB: "1", PATCHBAY_MAX_QUEUED_PER_KEY: "3" },
  });
  const devices = Array.from({ length: 6 }, (_, at) => ({
    name: `d${at}`,
    host: `192.0.2.${at + 1}`,
    driver: "netmiko",
    platform: "cisco_ios",
    site: at < 2 ? "small" : at < 5 ? "middle" : "large",
  }));
  expect((await service.call("POST", "/inventory/device", { devices })).status).toBe(200);
});
afterAll(() => service.stop());

const discover = (body: object) => service.call("POST", "/inventory/discover", body);

async function expectNoJobs(): Promise<void> {
  expect((await service.call<unknown[]>("GET", "/job")).body.data).toEqual([]);
  expect((await service.call<unknown[]>("GET", "/bulk")).body.data).toEqual([]);
}

test("answers 413 with the count for more devices than a bulk allows", async () => {
  const answer = await discover({ select: "all" });
  expect(answer.status).toBe(413);
  expect(JSON.stringify(answer.body)).toContain("at most 5 devices; this one names 6");
  await expectNoJobs();
});

test("answers 413 if the jobs would be too large together", async () => {
  const answer = await discover({
    select: "site:small",
    connection_args: { session_log: "x".repeat(700_000) },
  });
  expect(answer.status).toBe(413);
  expect(JSON.stringify(answer.body)).toContain("2 devices");
  await expectNoJobs();
});

test("answers 429 with Retry-After above the backlog of the key", async () => {
  const answer = await discover({ select: "site:small,middle", limit: 4 });
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  await expectNoJobs();
});
