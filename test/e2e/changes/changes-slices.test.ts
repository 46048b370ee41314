/** Waves that are larger than a bulk may be: they go out as several, one after the other, and stop as one. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChangeDetail } from "../../../src/api/changes/change.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { temporary } from "../../support/temporary.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";
import { changesOf } from "./asking.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const names = ["acc-1", "acc-2", "acc-3", "acc-4", "acc-5"];

const folder = temporary();
let service: Service;
const devices: SimulatedDevice[] = [];

beforeAll(async () => {
  service = await startService({ dataDir: folder.path, env: { PATCHBAY_MAX_BULK: "2" } });
  await service.call("PUT", "/credential/lab", login);
  const list = [];
  for (const name of names) {
    const device = await simulated("cisco_ios", login);
    devices.push(device);
    list.push(labEntry(name, device, "cisco_ios", { tags: ["lab"] }));
  }
  expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
  for (const device of names) {
    // A simulated device replaces this line, but does not know how to remove it.
    const push = { device, config: "ntp server 192.0.2.200" };
    await service.call("POST", "/device/execute", push, { Prefer: "wait=60" });
    await service.call("POST", "/history/take", { device }, { Prefer: "wait=60" });
  }
});
afterAll(async () => {
  await service.close();
  for (const device of devices) await device.stop();
  folder.remove();
});

const { say, read, targets, ended } = changesOf(() => service);

async function started(more: object): Promise<string> {
  const drafted = await service.call<ChangeDetail>("POST", "/change", {
    ...{ name: "ntp", select: "tag:lab", approvals: { count: 0 }, ...more },
  });
  expect(drafted.status, JSON.stringify(drafted.body)).toBe(201);
  const { id } = drafted.body.data;
  const plan = await say(id, "plan");
  expect(plan.body.data.state, JSON.stringify(plan.body)).toBe("approved");
  expect((await say(id, "start")).status).toBe(200);
  return id;
}

/** How many devices each bulk of the change had, in the order in which they were submitted. */
async function sizes(id: string): Promise<string[]> {
  const { bulks } = await read(id);
  const found: string[] = [];
  for (const { number, phase, returns, bulk_id } of bulks) {
    const jobs = await service.call<object[]>("GET", `/job?bulk_id=${bulk_id}`);
    found.push(`${returns ? "return" : "wave"} ${number} ${phase} ${jobs.body.data.length}`);
  }
  return found;
}

test("a wave of five goes out two by two, and so do its takes and its return", async () => {
  const id = await started({ config: "ntp server 192.0.2.1", strategy: { canary: 0, waves: ["100%"] } });
  await ended(id, "done");
  const phases = (kind: string) =>
    ["reading", "pushing", "left"].flatMap((phase) => [2, 2, 1].map((size) => `${kind} ${phase} ${size}`));
  expect(await sizes(id)).toEqual(phases("wave 1"));
  expect((await targets(id)).map(({ device, state }) => `${device} ${state}`)).toEqual(
    names.map((name) => `${name} pushed`),
  );
  expect((await say(id, "return")).status).toBe(200);
  await ended(id, "returned");
  expect(await sizes(id)).toEqual([...phases("wave 1"), ...phases("return 1")]);
  for (const target of await targets(id)) expect(target).toMatchObject({ state: "returned" });
  const jobs = await service.call<{ host: string; port: number }[]>(
    "GET",
    `/job?tag=change:${id}&operation=config`,
  );
  expect(jobs.body.data).toHaveLength(10);
});

test("a refusal in the first bulk of a wave stops it: the devices of the others get nothing", async () => {
  const id = await started({
    ...{ config: ["ntp server 192.0.2.9", "bogus words here"], strategy: { canary: 0, waves: ["100%"] } },
    on_stop: "return",
  });
  await ended(id, "returned");
  const states = (await targets(id)).map(({ state }) => state);
  expect(states.slice(2)).toEqual(["waiting", "waiting", "waiting"]);
  expect((await sizes(id)).filter((size) => size.startsWith("wave 1 pushing"))).toEqual(["wave 1 pushing 2"]);
});

test("a killed service goes on with the bulks that are missing, also with other limits", async () => {
  const most = { wave: 5, total: 5 };
  const limits = { failed: most, unreachable: most, unknown: most };
  let cutOff: readonly string[] = [];
  for (const [at, phase] of ["reading", "pushing", "left"].entries()) {
    const config = `ntp server 192.0.2.${at + 20}`;
    const id = await started({ config, strategy: { canary: 0, waves: ["100%"], limits } });
    const begun = (bulk: { phase: string }) => bulk.phase === phase;
    await expect.poll(() => read(id).then(({ bulks }) => bulks.some(begun)), { timeout: 90_000 }).toBe(true);
    await service.kill();
    service = await startService({
      ...{ dataDir: folder.path, env: { PATCHBAY_MAX_BULK: at % 2 === 0 ? "3" : "1" } },
    });
    await ended(id, "done");
    const jobs = await service.call<{ device: string; label: string }[]>(
      "GET",
      `/job?tag=change:${id}&operation=config`,
    );
    const pushed = jobs.body.data.filter(({ label }) => label === "ntp").map(({ device }) => device);
    expect(pushed.length, "none twice").toBe(new Set(pushed).size);
    // What was cut off in the middle has failed or is not known; all others have their lines.
    const list = await targets(id);
    expect(list.filter(({ state }) => state === "pushed").length).toBeGreaterThanOrEqual(3);
    for (const { device, state } of list)
      if (state === "pushed") expect(pushed).toContain(device);
      // What a push that was cut off has left on a device may be news to the change after it.
      else expect(state).toMatch(cutOff.includes(device) ? /failed|unknown|diverged/ : /failed|unknown/);
    cutOff = list.flatMap(({ device, state }) => (state === "pushed" ? [] : [device]));
  }
});
