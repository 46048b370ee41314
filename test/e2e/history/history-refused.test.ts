/** Takes of switches that show one part of their configuration and refuse another, over eAPI and a command line. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Switch, startSwitch } from "../../drivers/pyeapi/switch.ts";
import { type Kept, keptBy } from "./history-places.ts";

const password = "canary-login-9";
let service: Service;
let eos: Switch;
let kept: Kept;

beforeAll(async () => {
  [service, eos] = await Promise.all([startService(), startSwitch({ password })]);
  kept = keptBy(service);
  const login = { host: "127.0.0.1", port: eos.port, user: "admin", password };
  await kept.add("leaf-1", login, { driver: "pyeapi", connection: { transport: "http" } });
});
afterAll(async () => {
  await service.close();
  eos.close();
});

const part = (name: string) =>
  service.call<{ text: string }>("GET", `/history/device/leaf-1/latest?part=${name}`);

test("a refused startup configuration is told, and the running one is kept", async () => {
  eos.denied.add("show startup-config");
  eos.running.splice(0, eos.running.length, "hostname leaf-1", "enable secret sha512 $6$canary$startup");
  const job = await kept.take("leaf-1");
  expect(job.status, JSON.stringify(job.result)).toBe("finished");
  expect(job.result?.retval).toMatchObject({ running: { state: "good", changed: true } });
  expect(job.result?.retval).not.toHaveProperty("startup");
  expect(job.warnings?.join()).toMatch(/^the startup configuration was not shown: .*Authorization denied/);
  expect(await kept.text("leaf-1")).toContain("hostname leaf-1\nenable secret sha512 <secret");
  expect(await kept.device("leaf-1")).toMatchObject({ versions: 1, error: null, unsaved: null });
  expect((await part("startup")).status).toBe(404);
  expect(JSON.stringify(job)).not.toContain("canary");
});

test("it is read again once it is shown", async () => {
  eos.denied.clear();
  expect((await kept.take("leaf-1")).warnings).toBeUndefined();
  expect((await part("startup")).body.data.text).toContain("hostname sw1");
  expect(await kept.device("leaf-1")).toMatchObject({ versions: 1, unsaved: true });
});

test("a refused running configuration is a failure that says so, and no version", async () => {
  eos.denied.add("show running-config");
  const job = await kept.take("leaf-1");
  expect(job.status).toBe("failed");
  expect(job.result?.error).toMatchObject({
    type: "CommandError",
    message: expect.stringContaining("Authorization denied"),
  });
  expect(await kept.versions("leaf-1")).toHaveLength(1);
  expect(await kept.device("leaf-1")).toMatchObject({ error: "CommandError", suspects: 0 });
});
