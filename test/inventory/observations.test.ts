/** Facts that jobs learn about devices: collected, written in one batch, shown next to the configured values. */
import * as v from "valibot";
import { expect, test, vi } from "vitest";
import { deviceRecord } from "../../src/api/inventory/inventory.ts";
import { silentLog } from "../../src/base/log.ts";
import { createObservations } from "../../src/inventory/observations.ts";
import {
  matchingNow,
  readReach,
  readSelector,
  requireSelectors,
} from "../../src/inventory/selector/selector.ts";
import { admin, type Opened, openInventory } from "./support.ts";

const sightingsOf = ({ store, inventory }: Opened) =>
  createObservations({ store, inventory, log: silentLog });
const at = (hostKey: string, device: string | null = null) => ({ hostKey, device });
const factsShown = async ({ inventory }: Opened, name: string) =>
  v.parse(deviceRecord, await inventory.read("device", name, admin, true)).facts;
const outputs = [{ command: "get_facts", output: { model: "C9300", os_version: "17.9" } }];

test("last login and last failed login of many jobs are written in one batch", async () => {
  const opened = await openInventory();
  await opened.apply({
    devices: [{ name: "r1", host: "10.0.0.1" }, { name: "r2" }, { name: "r1b", host: "10.0.0.1" }],
  });
  const write = vi.spyOn(opened.store.observations, "write");
  const observations = sightingsOf(opened);
  for (let job = 0; job < 100; job++) observations.ended(at("10.0.0.1"), undefined);
  observations.ended(at("r2"), "AuthenticationFailed");
  observations.ended(at("r2"), "WorkerLost");
  observations.ended(at("stranger"), undefined);
  await observations.flush();
  await observations.flush();
  expect(write).toHaveBeenCalledTimes(1);
  const seen = expect.stringMatching(/^\d{4}-/);
  expect(await factsShown(opened, "r1")).toMatchObject({
    seen_at: seen,
    login_failed_at: null,
    version: null,
  });
  expect(await factsShown(opened, "r1b")).toMatchObject({ seen_at: seen });
  expect(await factsShown(opened, "r2")).toMatchObject({
    ...{ seen_at: null, login_failed_at: seen, login_error: "AuthenticationFailed" },
  });
});

test("devices behind one address have logins of their own, unless a job names the address only", async () => {
  const opened = await openInventory();
  await opened.apply({
    devices: [
      { name: "R1", host: "10.0.0.1", port: 2201 },
      { name: "r2", host: "10.0.0.1", port: 2202 },
    ],
  });
  const observations = sightingsOf(opened);
  observations.ended(at("10.0.0.1", "r2"), "AuthenticationFailed");
  observations.ended(at("10.0.0.1", "r1"), undefined);
  await observations.flush();
  const seen = expect.any(String);
  expect(await factsShown(opened, "R1")).toMatchObject({ seen_at: seen, login_failed_at: null });
  expect(await factsShown(opened, "r2")).toMatchObject({
    ...{ seen_at: null, login_failed_at: seen, login_error: "AuthenticationFailed" },
  });
  observations.ended(at("10.0.0.1", "moved"), "ConnectionRefused");
  observations.ended(at("10.0.0.1"), undefined);
  observations.ended(at("10.0.0.1", "r1"), "HostUnreachable");
  await observations.flush();
  expect(await factsShown(opened, "R1")).toMatchObject({ seen_at: seen, login_error: "HostUnreachable" });
  expect(await factsShown(opened, "r2")).toMatchObject({
    seen_at: seen,
    login_error: "AuthenticationFailed",
  });
});

test("no facts are written without an inventory, and none are lost while the store is unavailable", async () => {
  const opened = await openInventory();
  const write = vi.spyOn(opened.store.observations, "write");
  const observations = sightingsOf(opened);
  observations.ended(at("r1"), undefined);
  await observations.flush();
  expect(write).not.toHaveBeenCalled();
  await opened.apply({ devices: [{ name: "r1" }] });
  expect(await factsShown(opened, "r1")).toBeNull();
  write.mockRejectedValueOnce(new Error("away"));
  observations.ended(at("r1"), undefined);
  await observations.flush();
  expect(await factsShown(opened, "r1")).toBeNull();
  await observations.flush();
  expect(await factsShown(opened, "r1")).toMatchObject({ seen_at: expect.any(String) });
});

test("a detected platform is proposed, and written only on request to a device without one", async () => {
  const opened = await openInventory();
  await opened.apply({ devices: [{ name: "r1" }, { name: "r2" }, { name: "r3", platform: "cisco_ios" }] });
  const observations = sightingsOf(opened);
  const apply = { keyId: "k1", name: "admin", from: null };
  const found = { platform: "cisco_xe", outputs };
  observations.discovered({ ...found, discovery: { device: "r1" } });
  for (const device of ["r2", "r3", "gone"])
    observations.discovered({ ...found, discovery: { device, apply } });
  await observations.flush();
  const platforms = async () => (await opened.inventory.snapshot()).all().map(({ platform }) => platform);
  await expect.poll(platforms).toEqual([null, "cisco_xe", "cisco_ios"]);
  for (const name of ["r1", "r2", "r3"])
    expect(await factsShown(opened, name)).toMatchObject({
      ...{ platform: "cisco_xe", model: "C9300", version: "17.9", vendor: "Cisco" },
      ...{ discovered_at: expect.any(String), seen_at: expect.any(String) },
    });
});

test("facts show the learnt host key, and a limited key sees facts of its own devices only", async () => {
  const opened = await openInventory();
  await opened.apply({
    devices: [
      { name: "a", host: "10.0.0.1" },
      { name: "b", host: "10.9.0.1" },
    ],
  });
  const key = { type: "ssh-ed25519", fingerprint: "SHA256:abc" };
  await opened.store.hostKeys.learn("10.0.0.1", 22, key);
  const limited = { ...admin, hosts: ["10.0.0.0/24"] };
  const page = await opened.inventory.listDevices({}, limited, { limit: 10, effective: true });
  expect(page.entries).toMatchObject([{ name: "a", facts: { host_key: "ssh-ed25519 SHA256:abc" } }]);
});

test("selectors can match facts, but a key's reach cannot depend on facts", async () => {
  const opened = await openInventory();
  await opened.apply({ devices: [{ name: "R1" }, { name: "r2" }, { name: "r3", enabled: false }] });
  const observations = sightingsOf(opened);
  const discover = (device: string, os_version: string) =>
    observations.discovered({
      ...{ discovery: { device }, platform: "cisco_xe" },
      outputs: [{ command: "get_facts", output: { os_version } }],
    });
  const chosen = async (select: string) => {
    const snapshot = await opened.inventory.snapshot();
    return snapshot
      .all()
      .filter(await matchingNow(readSelector(select), snapshot))
      .map(({ name }) => name);
  };
  expect(await chosen("version:*")).toEqual([]);
  for (const name of ["R1", "r2", "r3"]) discover(name, "17.9.1");
  await observations.flush();
  expect(await chosen("version:17.9* vendor:cisco")).toEqual(["R1", "r2"]);
  discover("r2", "17.12");
  await observations.flush();
  expect(await chosen("version:17.9* or not os:cisco_xe")).toEqual(["R1"]);
  // A device that returns under the same name is a different one.
  await opened.apply({ devices: [{ name: "r2" }] }, { mode: "mirror" });
  await opened.apply({ devices: [{ name: "r1" }] });
  expect(await chosen("version:*")).toEqual(["r2"]);
  expect(() => readReach("site:x or version:17*")).toThrow("it cannot limit a key");
  expect(() => requireSelectors(["select:serial:1"], (at) => `hosts.${at}`)).toThrow("it cannot limit a key");
});
