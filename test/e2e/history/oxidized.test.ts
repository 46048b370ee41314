/** The calls that LibreNMS and NetXMS make to Oxidized, in their order and with their spelling. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { VersionRecord } from "../../../src/api/history/history.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };

interface OxidizedNode {
  readonly name: string;
  readonly full_name: string;
  readonly group: string | null;
  readonly last: { readonly end: string; readonly status: string } | null;
}
interface OxidizedVersion {
  readonly oid: string;
  readonly date: string;
  readonly time: string;
}

let service: Service;
let device: SimulatedDevice;
let apiKey: string;

/** As a program that has a user and a password for Oxidized. */
async function get(path: string, init: RequestInit = {}, key = apiKey) {
  const answer = await fetch(`${service.url}/oxidized${path}`, {
    redirect: "manual",
    ...init,
    headers: { Authorization: `Basic ${Buffer.from(`librenms:${key}`).toString("base64")}`, ...init.headers },
  });
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
}
const json = async <T>(path: string, init?: RequestInit) => JSON.parse((await get(path, init)).text) as T;

async function change(description: string): Promise<void> {
  const config = `interface Ethernet1\n description ${description}`;
  await service.call(
    "POST",
    "/device/execute",
    { device: "core-1.example.net", config },
    { Prefer: "wait=60" },
  );
  await service.call("POST", "/history/take", { device: "core-1.example.net" }, { Prefer: "wait=60" });
}
const versions = async (name: string) =>
  (await service.call<VersionRecord[]>("GET", `/history/device/${name}`)).body.data;

beforeAll(async () => {
  device = await simulated("arista_eos", login);
  service = await startService({ env: { PATCHBAY_HISTORY_AFTER_PUSH: "false" } });
  await service.call("PUT", "/credential/lab", login);
  const place = { host: "127.0.0.1", port: device.port, driver: "netmiko", platform: "arista_eos" };
  const made = await service.call("POST", "/inventory/device", {
    groups: [{ name: "berlin" }],
    devices: [
      { name: "core-1.example.net", group: "berlin", ...place, credential: { name: "file", ref: "lab" } },
      { name: "idle", host: "192.0.2.9", driver: "netmiko", platform: "cisco_ios" },
    ],
  });
  expect(made.status).toBe(200);
  const key = await service.call<{ key: string }>("POST", "/key", {
    name: "librenms",
    scope: "operate",
    rights: ["history"],
  });
  apiKey = key.body.data.key;
  await service.call("POST", "/history/take", { device: "core-1.example.net" }, { Prefer: "wait=60" });
  await change("one");
  await change("two");
});
afterAll(async () => {
  await service.close();
  await device.stop();
});

describe("LibreNMS", () => {
  test("shows a device, its versions, one of them, and differences", async () => {
    const hostname = "core-1.example.net";
    const info = await json<OxidizedNode>(`/node/show/${hostname}?format=json`);
    expect(info).toMatchObject({
      ...{
        name: hostname,
        full_name: `berlin/${hostname}`,
        group: "berlin",
        ip: "127.0.0.1",
        model: "arista_eos",
      },
      last: { status: "success", end: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/) },
    });
    const list = await json<OxidizedVersion[]>(`/node/version?node_full=${info.full_name}&format=json`);
    expect(list).toHaveLength(3);
    expect(list[0]).toMatchObject({
      oid: expect.stringMatching(/^[0-9a-f]{40}$/),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000$/),
      ...{ message: `update ${hostname}`, author: { name: expect.any(String), email: expect.any(String) } },
    });
    const total = list.length;
    for (const [at, { oid, date }] of list.entries()) {
      const query = `node=${hostname}&group=berlin&oid=${oid}&date=${encodeURIComponent(date)}&num=${total - at}`;
      const view = await get(`/node/version/view?${query}&format=text`);
      expect(view).toMatchObject({ status: 200, type: expect.stringContaining("text/plain") });
      const own = await service.call<{ text: string }>("GET", `/history/device/${hostname}/${total - at}`);
      expect(view.text).toBe(own.body.data.text);
      expect(view.text).not.toContain("canary");
    }
    const [newest, middle, oldest] = list;
    const diff = (to: OxidizedVersion | undefined, from: OxidizedVersion | undefined) =>
      get(
        `/node/version/diffs?node=${hostname}&group=berlin&oid=${to?.oid}&date=x&num=3&oid2=${from?.oid}&format=text`,
      );
    const patch = (await diff(newest, oldest)).text;
    expect(patch).toMatch(
      new RegExp(`^diff --git a/${hostname} b/${hostname}\nindex [0-9a-f]+\\.\\.[0-9a-f]+ 100644\n--- a/`),
    );
    expect(patch).toContain("+   description two");
    expect((await diff(middle, newest)).text).toContain("\n-   description two\n");
    const before = await get(
      `/node/version/diffs?node=${hostname}&group=berlin&oid=${newest?.oid}&epoch=1&num=3`,
    );
    expect(before.text).toContain("\n+   description two\n");
    expect(
      (await get(`/node/version/diffs?node=${hostname}&group=berlin&oid=${oldest?.oid}&num=1&format=text`))
        .text,
    ).toBe("no available");
    // `git apply` takes it.
    const folder = tempFolder();
    mkdirSync(folder, { recursive: true });
    const first = await get(`/node/version/view.text?node=${hostname}&group=&oid=${oldest?.oid}`);
    writeFileSync(join(folder, hostname), first.text);
    expect(spawnSync("git", ["apply", "-"], { cwd: folder, input: patch }).status).toBe(0);
  });

  test("finds a device by another name of it, and asks without versions", async () => {
    expect((await get("/node/show/core-1?format=json")).status).toBe(404);
    expect(await json<OxidizedNode>("/node/show/127.0.0.1?format=json")).toMatchObject({
      name: "core-1.example.net",
    });
    const text = await get("/node/fetch/berlin/core-1.example.net");
    expect(text).toMatchObject({ status: 200, text: expect.stringContaining("description two") });
    const lines = await json<string[]>("/node/fetch/core-1.example.net?format=json");
    expect(lines.join("")).toBe(text.text);
    expect(await json("/node/fetch/berlin/core-1.example.net.json")).toEqual(lines);
    for (const path of ["/node/fetch/paris/core-1.example.net", "/node/fetch/nowhere", "/node/fetch/idle"])
      expect(await get(path)).toMatchObject({ status: 404, text: "node not found" });
  });

  test("searches, reloads and asks for a new version", async () => {
    const form = { method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded" } };
    const search = (words: string) =>
      get("/nodes/conf_search?format=json", {
        ...form,
        body: `search_in_conf_textbox=${encodeURIComponent(words)}`,
      });
    expect(JSON.parse((await search("description t[w]o")).text)).toEqual([
      { node: "core-1.example.net", full_name: "berlin/core-1.example.net" },
    ]);
    expect(JSON.parse((await search("nothing of that kind")).text)).toEqual([]);
    expect((await search("(")).status).toBe(422);
    expect(await json("/reload.json")).toEqual(["reloaded list of nodes"]);
    const before = (await versions("core-1.example.net"))[0]?.last_seen_at ?? "";
    const next = await get("/node/next/core-1.example.net", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ user: "ada", msg: "changed by syslog" }),
    });
    expect(next).toMatchObject({ status: 200, text: "ok" });
    await expect
      .poll(async () => (await versions("core-1.example.net"))[0]?.last_seen_at, { timeout: 60_000 })
      .not.toBe(before);
  });
});

describe("NetXMS", () => {
  test("lists the devices, their versions and texts", async () => {
    const nodes = await json<OxidizedNode[]>("/nodes.json");
    expect(nodes).toMatchObject([
      {
        name: "core-1.example.net",
        group: "berlin",
        status: "success",
        time: expect.stringContaining("UTC"),
      },
      { name: "idle", full_name: "idle", group: "default", status: "never", time: "never", last: null },
    ]);
    const list = await json<OxidizedVersion[]>(
      `/node/version.json?node_full=${encodeURIComponent("berlin/core-1.example.net")}`,
    );
    expect(list.map(({ time }) => time)).toEqual([...list.map(({ time }) => time)].sort().reverse());
    for (const [at, { oid }] of list.entries()) {
      const lines = await json<string[]>(
        `/node/version/view.json?node=core-1.example.net&group=berlin&oid=${oid}`,
      );
      expect(lines.every((line) => line.endsWith("\n"))).toBe(true);
      const own = await service.call<{ text: string }>(
        "GET",
        `/history/device/core-1.example.net/${list.length - at}`,
      );
      expect(lines.join("")).toBe(own.body.data.text);
    }
    expect(await get("/node/next/berlin/core-1.example.net")).toMatchObject({ status: 200, text: "ok" });
    expect(await json("/node/next/core-1.example.net.json")).toEqual(["ok"]);
    expect(await json("/node/version.json?node_full=idle")).toEqual([]);
    expect(await get("/node/version.json?node_full=nowhere")).toMatchObject({
      status: 404,
      text: '["node not found"]',
    });
  });
});

test("another version than the wanted one is never answered", async () => {
  const [version] = await json<OxidizedVersion[]>("/node/version.json?node_full=core-1.example.net");
  const view = (oid: string, node = "core-1.example.net", group = "") =>
    get(`/node/version/view?node=${node}&group=${group}&oid=${oid}&num=1&format=text`);
  expect((await view(version?.oid ?? "")).status).toBe(200);
  for (const oid of ["", "0", "1".repeat(40), `${"0".repeat(39)}9`, `${version?.oid}0`, "latest", "HEAD"])
    expect(await view(oid)).toMatchObject({ status: 404, text: "version not found" });
  expect((await view(version?.oid ?? "", "idle")).status).toBe(404);
  expect((await view(version?.oid ?? "", "core-1.example.net", "paris")).status).toBe(404);
});

test("a password is a key: it needs the right, and other sites cannot use that of a browser", async () => {
  const key = async (body: object) =>
    (await service.call<{ key: string }>("POST", "/key", { name: `k${Math.random()}`, ...body })).body.data
      .key;
  const plain = await key({ scope: "operate" });
  const reader = await key({ scope: "read", rights: ["history"] });
  const limited = await key({ scope: "operate", rights: ["history"], hosts: ["10.0.0.0/8"] });
  expect((await get("/nodes.json", {}, "wrong")).status).toBe(403);
  expect((await get("/nodes.json", {}, plain)).status).toBe(403);
  expect((await get("/nodes.json", {}, reader)).status).toBe(200);
  expect((await get("/node/next/core-1.example.net", {}, reader)).status).toBe(403);
  expect((await get("/nodes.json", {}, limited)).text).toBe("[]");
  for (const path of [
    "/node/fetch/core-1.example.net",
    "/node/show/core-1.example.net",
    "/node/show/127.0.0.1",
  ])
    expect((await get(path, {}, limited)).status).toBe(404);
  const cross = { headers: { "Sec-Fetch-Site": "cross-site" } };
  expect((await get("/node/next/core-1.example.net", cross)).status).toBe(403);
  const put = { method: "PUT", body: "{}", headers: { Origin: "https://evil.test" } };
  expect((await get("/node/next/core-1.example.net", put)).status).toBe(403);
  // Elsewhere it is no way to log in.
  const elsewhere = await fetch(`${service.url}/history/device`, {
    headers: { Authorization: `Basic ${Buffer.from(`x:${apiKey}`).toString("base64")}` },
  });
  expect(elsewhere.status).toBe(403);
});
