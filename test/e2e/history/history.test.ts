/** Configurations of simulated devices in the history: taken by hand, by schedule, after a push and on a notice. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type {
  BlameAnswer,
  ConfiguredDevice,
  DifferenceAnswer,
  SearchResult,
  VersionRecord,
} from "../../../src/api/history/history.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };

let service: Service;
const devices: SimulatedDevice[] = [];

beforeAll(async () => {
  service = await startService();
  await service.call("PUT", "/credential/lab", login);
  const list = [];
  for (const [name, platform] of [
    ["Acc-1", "cisco_ios"],
    ["leaf-1", "arista_eos"],
  ] as const) {
    const device = await simulated(platform, login);
    devices.push(device);
    list.push(labEntry(name, device, platform, { tags: ["lab"] }));
  }
  list.push({
    ...{ name: "lost", host: "127.0.0.1", port: 1, driver: "netmiko", platform: "cisco_ios" },
    credential: { name: "file", ref: "lab" },
  });
  expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
});
afterAll(async () => {
  await service.close();
  for (const device of devices) await device.stop();
});

const take = (body: object) =>
  service.call<{ bulk_id: string; succeeded: { id: string; status: string }[]; failed_jobs: object[] }>(
    "POST",
    "/history/take",
    body,
    { Prefer: "wait=60" },
  );
const versions = async (name: string) =>
  (await service.call<VersionRecord[]>("GET", `/history/device/${name}`)).body.data;

test("a take of all devices keeps one version of each, and says which could not be read", async () => {
  const { status, body } = await take({ select: "tag:lab", note: "first" });
  expect(status).toBe(200);
  expect(body.data.succeeded.map(({ status }) => status)).toEqual(["finished", "finished"]);
  const [version, ...others] = await versions("acc-1");
  expect(others).toEqual([]);
  expect(version).toMatchObject({
    ...{ device: "Acc-1", part: "running", version: 1, state: "good", source: "manual", note: "first" },
    ...{ job_id: body.data.succeeded[0]?.id },
  });
  const job = await service.job(body.data.succeeded[0]?.id ?? "");
  expect(job.result?.retval).toMatchObject({
    running: { state: "good", changed: true, sha256: version?.sha256 },
  });
  expect(JSON.stringify(job)).not.toContain("interface");
  await take({ device: "lost" });
  const missing = await service.call<ConfiguredDevice[]>("GET", "/history/device?state=missing");
  expect(missing.body.data).toMatchObject([{ device: "lost", latest: null, error: "ConnectionRefused" }]);
});

test("the text is read whole, of a number, of a time and as plain text, and found again unchanged", async () => {
  const { body } = await service.call<VersionRecord & { text: string }>(
    "GET",
    "/history/device/leaf-1/latest",
  );
  expect(body.data.text).toContain("hostname");
  expect(body.data.text).not.toContain("canary");
  const plain = await fetch(`${service.url}/history/device/leaf-1/1`, {
    headers: { Accept: "text/plain", "X-API-KEY": service.key },
  });
  expect(await plain.text()).toBe(body.data.text);
  const then = await service.call("GET", `/history/device/leaf-1/latest?at=${body.data.taken_at}`);
  expect(then.status).toBe(200);
  expect((await service.call("GET", "/history/device/leaf-1/latest?at=2001-01-01T00:00:00Z")).status).toBe(
    404,
  );
  await take({ devices: ["leaf-1", "Acc-1"] });
  expect(await versions("leaf-1")).toHaveLength(1);
});

test("a push is followed by a take, whose version names the push", async () => {
  const pushed = await service.call<{ id: string }>(
    "POST",
    "/device/execute",
    { device: "leaf-1", config: "interface Ethernet1\n description changed by a push" },
    { Prefer: "wait=60" },
  );
  expect(pushed.status).toBe(201);
  await expect.poll(() => versions("leaf-1").then((list) => list.length), { timeout: 60_000 }).toBe(2);
  const [version] = await versions("leaf-1");
  expect(version).toMatchObject({
    version: 2,
    source: "push",
    cause_job_id: pushed.body.data.id,
    added: 1,
  });
  const changes = await service.call<VersionRecord[]>("GET", "/history/change?limit=1");
  expect(changes.body.data).toMatchObject([{ device: "leaf-1", version: 2 }]);
});

test("a schedule takes configurations", async () => {
  const made = await service.call<{ id: string }>("POST", "/schedule", {
    name: "nightly",
    every: "1d",
    what: { kind: "history", history: { select: "tag:lab" } },
  });
  expect(made.status).toBe(201);
  const fired = await service.call<{ bulk_id: string }>("POST", "/schedule/nightly/run");
  expect(fired.status).toBe(200);
  const wrong = await service.call("POST", "/schedule", {
    name: "wrong",
    every: "1d",
    what: { kind: "history", history: { select: "tag:" } },
  });
  expect(wrong.status).toBe(422);
});

test("what a key may not reach, or has no right to, it does not see", async () => {
  const { data: reader } = (
    await service.call<{ key: string }>("POST", "/key", { name: "reader", scope: "read" })
  ).body;
  const { data: limited } = (
    await service.call<{ key: string }>("POST", "/key", {
      ...{ name: "limited", scope: "read", rights: ["history"], hosts: ["192.0.2.0/24"] },
    })
  ).body;
  const as = (key: string) => ({ "X-API-KEY": key });
  expect((await service.call("GET", "/history/device", undefined, as(reader.key))).status).toBe(403);
  const seen = await service.call<object[]>("GET", "/history/device", undefined, as(limited.key));
  expect([seen.status, seen.body.data]).toEqual([200, []]);
  expect(
    (await service.call("GET", "/history/device/leaf-1/latest", undefined, as(limited.key))).status,
  ).toBe(404);
  const changes = await service.call<object[]>("GET", "/history/change", undefined, as(limited.key));
  expect(changes.body.data).toEqual([]);
  const secrets = await service.call(
    "GET",
    "/history/device/leaf-1/latest?secrets=true",
    undefined,
    as(limited.key),
  );
  expect(secrets.status).toBe(403);
});

test("versions are compared in three forms, each line has its version, and all devices are searched", async () => {
  const diff = (query: string) =>
    service.call<DifferenceAnswer>("GET", `/history/device/leaf-1/diff?${query}`);
  const { data } = (await diff("")).body;
  expect([data.from.version, data.to.version]).toEqual([1, 2]);
  expect(data.unified).toContain("+   description changed by a push");
  expect((await diff("form=side")).body.data.parts?.flat().map(({ kind }) => kind)).toContain("added");
  expect(JSON.stringify((await diff("form=structured")).body.data.changes)).toContain("changed by a push");
  expect((await diff("from=2&to=2")).body.data.unified).toBe("");
  expect((await diff("other=acc-1")).body.data.to.device).toBe("Acc-1");
  expect((await diff("from=9")).status).toBe(404);
  const blame = await service.call<BlameAnswer>("GET", "/history/device/leaf-1/blame");
  const { runs, text, versions: named } = blame.body.data;
  expect(runs.reduce((sum, { lines }) => sum + lines, 0)).toBe(text.split("\n").length - 1);
  expect(named.map(({ version }) => version)).toEqual([1, 2]);
  const search = (query: string) => service.call<SearchResult[]>("GET", `/history/search?${query}`);
  const found = await search("q=changed%20by%20a%20push");
  expect(found.body.data).toMatchObject([{ version: { device: "leaf-1", version: 2 }, total: 1 }]);
  expect(found.body.data[0]?.hits[0]?.parents.map(({ text }) => text)).toEqual(["interface Ethernet1"]);
  expect((await search("regex=%5Ehostname%20")).body.data).toHaveLength(2);
  expect((await search("regex=%5Ehostname%20&select=name:leaf-1")).body.data).toHaveLength(1);
  const first = await search("regex=%5Ehostname%20&limit=1");
  const next = first.headers.get("X-Next-Cursor");
  expect((await search(`regex=%5Ehostname%20&limit=1&cursor=${next}`)).body.data).toHaveLength(1);
  expect((await search("scope=ever&q=changed%20by%20a%20push")).body.data).toMatchObject([
    { first_version: 2 },
  ]);
  expect((await search("regex=(%3F%3Da)b")).status).toBe(422);
  expect((await search("")).status).toBe(422);
});
