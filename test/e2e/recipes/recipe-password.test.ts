/** The recipe that changes passwords, on devices that refuse the new one, and killed between a device and the store. */
import { readFileSync } from "node:fs";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeviceRecord } from "../../../src/api/inventory/inventory.ts";
import type { RunRecord } from "../../../src/api/recipes/recipe.ts";
import { readYaml } from "../../../src/base/yaml/yaml-read.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import type { SystemOptions } from "../../../src/testkit/simulator/flash.ts";
import { sampled } from "../../support/sampled.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
/** `strict` takes no such line; `central` takes it and goes on to ask a server for logins. */
const systems: Record<string, SystemOptions | undefined> = {
  sw1: { reloadMs: 500 },
  sw2: { reloadMs: 500 },
  sw3: { reloadMs: 500 },
  strict: { reloadMs: 500, refuses: /^username / },
  central: undefined,
};
const devices = new Map<string, SimulatedDevice>();
let service: Service;

beforeAll(async () => {
  service = await startService({});
  await service.call("PUT", "/credential/lab", login);
  const list = [];
  for (const [at, [name, system]] of Object.entries(systems).entries()) {
    const device = await simulated("cisco_ios", { ...login, hostname: name, ...(system && { system }) });
    devices.set(name, device);
    list.push(labEntry(name, device, "cisco_ios", { host: `127.0.0.${at + 11}` }));
  }
  expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
  const { value } = readYaml(readFileSync("recipes/change-password.yaml", "utf8"), "", "core");
  expect((await service.call("PUT", "/recipe/change-password", value)).status).toBe(201);
});
afterAll(async () => {
  await service.stop();
  for (const device of devices.values()) await device.stop();
});

const bodyOf = (names: readonly string[], round: number) => ({
  devices: names,
  parameters: {
    ...{ account: login.username, new_credential: `lab-${round}`, new_password: passwordOf(round) },
    enable_secret: login.secret,
  },
});
const passwordOf = (round: number) => `canary-password-${round}`;
async function begun(names: readonly string[], round: number): Promise<string> {
  const { status, body } = await service.call<RunRecord>(
    ...(["POST", "/recipe/change-password/run", bodyOf(names, round)] as const),
  );
  expect([status, body.message]).toEqual([201, expect.anything()]);
  return body.data.id;
}
const read = async (id: string) =>
  (await service.call<RunRecord>("GET", `/recipe/change-password/run/${id}`)).body.data;
async function ended(id: string): Promise<RunRecord> {
  await expect.poll(async () => (await read(id)).ended_at, { timeout: 240_000, interval: 50 }).not.toBeNull();
  return read(id);
}
/** Name of the credential that the store says. */
const namedBy = async (name: string) =>
  (await service.call<DeviceRecord>("GET", `/inventory/device/${name}`)).body.data.credential?.ref;
/** Whether a new login succeeds: with its own credential, or with that one. */
async function opens(device: string, ref?: string): Promise<boolean> {
  const credential = ref === undefined ? {} : { connection_args: { credential: { name: "file", ref } } };
  const { status } = await service.run({
    ...{ device, command: "show clock", driver_args: { fresh: true } },
    ...credential,
  });
  return status === "finished";
}
const reported = ({ steps }: RunRecord) => steps.find(({ name }) => name === "report")?.value;

test("a device that refuses the new password, or the login with it, keeps the old one, and is named", async () => {
  const names = ["sw1", "strict", "central"];
  for (const time of ["first", "again"]) {
    const run = await ended(await begun(names, 1));
    expect([time, run.state, run.reason]).toEqual([time, "failed", expect.stringContaining("report")]);
    expect(reported(run)).toEqual([
      { device: "central", password: "old, or not reached" },
      { device: "strict", password: "old, or not reached" },
      { device: "sw1", password: "new" },
    ]);
    const failed = run.steps.filter(({ counts }) => (counts?.failed ?? 0) > 0).map(({ name }) => name);
    expect(failed).toEqual(["has_new", "change", "proof"]);
    expect(await Promise.all(names.map(namedBy))).toEqual(["lab-1", "lab", "lab"]);
    expect(await Promise.all(names.map((name) => opens(name)))).toEqual([true, true, true]);
  }
  expect(
    devices
      .get("sw1")
      ?.commands()
      .filter((line) => line.startsWith("username ")),
  ).toHaveLength(1);
}, 300_000);

/** What has happened when the service is killed. */
const moments = [
  { moment: "keep", kind: "before a line" },
  { moment: "one line", kind: "on the devices" },
  { moment: "all lines", kind: "on the devices" },
  { moment: "change", kind: "after the lines" },
  { moment: "proof", kind: "after the lines" },
  { moment: "switch", kind: "after the lines" },
] as const;

test("killed between a device and the store, each device is reached with its credential or with the new one", async () => {
  const looked = sampled(moments, 3, ({ kind }) => kind).map(({ moment }) => moment);
  const kills = Number(process.env.TEST_RECIPE_KILLS ?? looked.length);
  const names = ["sw1", "sw2", "sw3"];
  const seen = { newOnDeviceOldInStore: 0, pushesUnknown: 0, finishedAtOnce: 0 };
  for (let round = 10; round < 10 + kills; round++) {
    const moment = looked[(round - 10) % looked.length] ?? "keep";
    const before = new Map(
      await Promise.all(names.map(async (name) => [name, await namedBy(name)] as const)),
    );
    const id = await begun(names, round);
    const changed = () =>
      names.filter((name) =>
        devices
          .get(name)
          ?.commands()
          .some((line) => line.endsWith(` ${passwordOf(round)}`)),
      );
    const isThere = async () => {
      if (moment === "one line") return changed().length > 0;
      if (moment === "all lines") return changed().length === names.length;
      const { steps } = await read(id);
      return steps.find(({ name }) => name === moment)?.ended_at !== null;
    };
    await expect.poll(isThere, { timeout: 120_000, interval: 2 }).toBe(true);
    if (moment !== "one line") await Bun.sleep(Math.random() * 60);
    const { dataDir } = service;
    await service.kill("SIGKILL");
    const onDevice = new Set(changed());
    service = await startService({ dataDir, port: Number(new URL(service.url).port) });
    // The store names the old credential or the new one, and the new one only where the device has it.
    for (const name of names) {
      const ref = await namedBy(name);
      expect([name, ref]).toEqual([name, expect.toBeOneOf([before.get(name), `lab-${round}`])]);
      if (ref === `lab-${round}`) expect(onDevice).toContain(name);
      else if (onDevice.has(name)) seen.newOnDeviceOldInStore++;
    }
    const run = await ended(id);
    seen.pushesUnknown += run.steps.filter(({ name, counts }) => name === "change" && counts?.failed).length;
    if (run.state === "finished") seen.finishedAtOnce++;
    for (const name of names) {
      const isReached = (await opens(name)) || (await opens(name, `lab-${round}`));
      expect([moment, name, isReached]).toEqual([moment, name, true]);
    }
    const again = await ended(await begun(names, round));
    expect([moment, again.state, again.reason]).toEqual([moment, "finished", null]);
    expect(await Promise.all(names.map(namedBy))).toEqual(names.map(() => `lab-${round}`));
    expect(await Promise.all(names.map((name) => opens(name)))).toEqual([true, true, true]);
  }
  console.log(JSON.stringify({ kills, ...seen }));
}, 3_000_000);
