/** Inventory sources over the API: NetBox, a URL, a repository; imports, refusals and visibility. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type NetboxDouble, startNetbox } from "../../inventory/netbox-double.ts";

const folder = tempFolder();
const repositories = join(folder, "repositories");
const wrong = "wrong-token-canary-0123456789";

let netbox: NetboxDouble;
let files: Server;
let texts: Record<string, { status?: number; text: string; location?: string }>;
const asked: { path: string; authorization: string | undefined }[] = [];
let base: string;
let service: Service;

beforeAll(async () => {
  netbox = await startNetbox();
  files = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push({ path, authorization: request.headers.authorization });
    const { status = 200, text, location } = texts[path] ?? { status: 404, text: "" };
    response.writeHead(status, location === undefined ? {} : { Location: location }).end(text);
  });
  await new Promise<void>((done) => files.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  mkdirSync(repositories);
  service = await startService({
    env: {
      PATCHBAY_URL_ALLOW: "127.0.0.1",
      PATCHBAY_TEMPLATE_ROOTS: repositories,
      PATCHBAY_PLUGIN_ENV_NETBOX_PASSWORD: netbox.token,
      PATCHBAY_PLUGIN_ENV_WRONG_PASSWORD: wrong,
      PATCHBAY_PLUGIN_ENV_FILES_USERNAME: "bob",
      PATCHBAY_PLUGIN_ENV_FILES_PASSWORD: "files-canary",
    },
  });
});
afterAll(async () => {
  await service.stop();
  await netbox.close();
  files.closeAllConnections();
  files.close();
});
beforeEach(() => {
  texts = {};
  netbox.seen.length = 0;
  asked.length = 0;
});

const put = (name: string, source: object) => service.call("PUT", `/inventory/source/${name}`, source);
const sync = (name: string, search = "") =>
  service.call<Record<string, unknown>>("POST", `/inventory/source/${name}/sync${search}`);
async function device(name: string) {
  const { status, body } = await service.call("GET", `/inventory/device/${name}`);
  return status === 200 ? body.data : status;
}
async function runs(name: string) {
  const path = `/inventory/source/${name}`;
  return (await service.call<{ runs: Record<string, unknown>[] }>("GET", path)).body.data.runs;
}

describe("NetBox", () => {
  const source = () => ({
    kind: "netbox",
    url: netbox.url,
    credential: { name: "env", ref: "netbox" },
    group: "netbox",
    mode: "mirror",
    max_removals: 5,
    filter: "site=berlin&role=access&role=core",
  });
  const fleet = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      name: `nb${at}`,
      ip: `192.0.2.${at % 250}/24`,
      platform: "cisco-ios",
      tags: ["lab"],
    }));

  test("imports paged devices and removes them when NetBox does", async () => {
    await service.call("PUT", "/inventory/device/mine", { host: "198.51.100.1" });
    netbox.devices = [
      ...fleet(1_100),
      { name: null },
      { name: "elsewhere", site: "paris" },
      {
        name: "Spare 1",
        status: "offline",
        role: "core",
        custom_fields: { rack: 4, api_token: "cf-canary", none: null },
      },
    ];
    netbox.nextOrigin = "http://internal.example:8080";
    expect((await put("nb", source())).status).toBe(201);
    const dry = await sync("nb", "?dry_run=true");
    expect(dry.body).toMatchObject({ code: 200, data: { status: "succeeded", dry_run: true, added: 1_102 } });
    expect(await device("nb0")).toBe(404);
    const done = await sync("nb");
    expect(done.body.data).toMatchObject({
      status: "succeeded",
      dry_run: false,
      added: 1_102,
      diff_truncated: true,
    });
    expect(done.body).toMatchObject({
      warnings: [expect.stringContaining("without a name"), expect.stringContaining("api_token")],
    });
    expect(netbox.seen.filter((path) => path.includes("offset="))).toHaveLength(4);
    expect(await device("nb7")).toMatchObject({
      host: "192.0.2.7",
      platform: "cisco_ios",
      site: "berlin",
      role: "access",
      tags: ["lab"],
      group: "netbox",
      enabled: true,
      source: "nb",
    });
    expect(await device("Spare-1")).toMatchObject({ enabled: false, vars: { rack: 4 }, role: "core" });
    netbox.devices = netbox.devices.slice(2);
    expect((await sync("nb")).body.data).toMatchObject({ added: 0, removed: 2, changed: 0 });
    expect([await device("nb0"), await device("mine")]).toEqual([
      404,
      expect.objectContaining({ host: "198.51.100.1" }),
    ]);
  });

  test("imports virtual machines as a separate kind of object", async () => {
    netbox.machines = [{ name: "vm1", ip: "192.0.2.251/32", platform: "linux" }];
    await put("vms", { ...source(), object: "virtual-machine", mode: "merge" });
    expect((await sync("vms")).body.data).toMatchObject({ status: "succeeded", added: 1 });
    expect(await device("vm1")).toMatchObject({ host: "192.0.2.251", source: "vms" });
  });

  test("does nothing above max_removals and reports what would have changed", async () => {
    netbox.devices = netbox.devices.slice(100);
    const { status, body } = await sync("nb");
    expect(status).toBe(422);
    expect(body.data).toEqual([
      { path: "max_removals", message: expect.stringContaining("100 would be removed") },
    ]);
    expect((await runs("nb"))[0]).toMatchObject({
      status: "failed",
      removed: 100,
      added: 0,
      by: "configured",
      error: expect.stringContaining("100 would be removed"),
    });
    expect(await device("nb5")).toMatchObject({ source: "nb" });
  });

  test("a wrong token, a malformed answer and a foreign page link change nothing and reveal no token", async () => {
    await put("nb-wrong", { ...source(), credential: { name: "env", ref: "wrong" } });
    const refused = await sync("nb-wrong");
    expect(refused.body).toMatchObject({
      code: -1,
      message: expect.stringContaining("AuthenticationFailed"),
    });
    netbox.broken = '{"count": 1, "results": [{"name": 5}]}';
    expect((await sync("nb")).body.message).toContain("not a list of devices (results.0.");
    netbox.broken = "<html>login</html>";
    expect((await sync("nb")).body.message).toContain("not JSON");
    netbox.broken = JSON.stringify({ count: 2, next: "http://169.254.169.254/api/secrets/", results: [] });
    expect((await sync("nb")).body.message).toContain("not a page of devices");
    expect((await runs("nb")).every(({ status }, at) => at > 2 || status === "failed")).toBe(true);
  });
});

describe("a URL", () => {
  test("reads any format and sends its credential only to its own host", async () => {
    texts["/a.csv"] = { text: "name,host,site\nu1,192.0.2.1,berlin\n" };
    texts["/moved"] = { status: 302, text: "", location: "/a.csv" };
    const credential = { name: "env", ref: "files" };
    await put("table", { kind: "url", url: `${base}/moved`, format: "csv", credential });
    expect((await sync("table")).body.data).toMatchObject({ added: 1 });
    const basic = `Basic ${Buffer.from("bob:files-canary").toString("base64")}`;
    expect(asked).toEqual([
      { path: "/moved", authorization: basic },
      { path: "/a.csv", authorization: basic },
    ]);
    texts["/a.csv"] = { text: "name,host,port\nu1,192.0.2.1,x\n" };
    const broken = await sync("table");
    expect(broken).toMatchObject({ status: 422, body: { data: [{ path: "line 2" }] } });
  });

  test("does not request addresses that the operator denies, even after a redirect", async () => {
    texts["/away"] = { status: 302, text: "", location: "http://127.0.0.2:1/x" };
    await put("away", { kind: "url", url: `${base}/away`, format: "csv" });
    expect((await sync("away")).body).toMatchObject({ message: expect.stringContaining("is not allowed") });
    await put("meta", { kind: "url", url: "http://169.254.169.254/latest", format: "json" });
    expect((await sync("meta")).status).toBe(403);
  });

  test("an empty answer does not empty a mirror", async () => {
    texts["/m.csv"] = { text: "name\nm1\n" };
    await put("m", { kind: "url", url: `${base}/m.csv`, format: "csv", mode: "mirror" });
    await sync("m");
    texts["/m.csv"] = { text: "name\n" };
    expect((await sync("m")).body.data).toEqual([expect.objectContaining({ path: "max_removals" })]);
    expect(await device("m1")).toMatchObject({ source: "m" });
  });
});

describe.skipIf(needs("git"))("a repository", () => {
  const git = (repository: string, ...args: string[]) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=t", "-c", "user.email=t@example", ...args], {
      stdio: "pipe",
    });

  test("reads one file or a Nornir folder, and executes nothing of the repository", async () => {
    const repository = join(repositories, "net");
    mkdirSync(join(repository, "nornir"), { recursive: true });
    git(repository, "init", "-q", "-b", "main");
    const hook = join(folder, "hook-ran");
    writeFileSync(join(repository, ".git/hooks/post-checkout"), `#!/bin/sh\ntouch ${hook}\n`, {
      mode: 0o755,
    });
    writeFileSync(join(repository, "hosts.ini"), "[core]\ng[1:3] ansible_user=bob\n");
    writeFileSync(join(repository, "nornir/hosts.yaml"), "n1:\n  groups: [x]\n");
    writeFileSync(join(repository, "nornir/groups.yaml"), "x: {port: 2222}\n");
    git(repository, "add", "-A");
    git(repository, "commit", "-q", "-m", "first");
    const url = `file://${repository}`;
    await put("ini", { kind: "git", url, path: "hosts.ini", format: "ansible", ref: "main" });
    expect((await sync("ini")).body.data).toMatchObject({ status: "succeeded", added: 4 });
    await put("nornir", { kind: "git", url, path: "nornir", format: "nornir" });
    expect((await sync("nornir")).body.data).toMatchObject({ added: 2 });
    expect(await device("n1")).toMatchObject({ port: 2222, group: "x" });
    expect(existsSync(hook)).toBe(false);
    await put("none", { kind: "git", url, path: "missing.csv", format: "csv" });
    expect((await sync("none")).body.message).toContain("no file missing.csv");
    await put("branch", { kind: "git", url, path: "hosts.ini", format: "ansible", ref: "other" });
    expect((await sync("branch")).body.message).toContain("git failed");
  });

  test("rejects a repository elsewhere on this machine", async () => {
    await put("outside", { kind: "git", url: `file://${folder}`, path: "x", format: "csv" });
    expect((await sync("outside")).status).toBe(403);
  });
});

test("rejects invalid sources and names the field", async () => {
  const { body } = await put("bad", {
    kind: "git",
    url: "http://u:p@x/r?token=1",
    path: "../x",
    max_changes: -1,
    color: "red",
  });
  const paths = Array.isArray(body.data) ? body.data.map(({ path }: { path: string }) => path) : [];
  expect(paths).toEqual(expect.arrayContaining(["url", "path", "max_changes", "color"]));
  expect(JSON.stringify(body)).not.toContain("u:p");
  expect(
    (await put("bad", { kind: "netbox", url: netbox.url, credential: { name: "nowhere" } })).body.data,
  ).toEqual([expect.objectContaining({ path: "credential.name" })]);
  expect((await sync("nothing")).status).toBe(404);
  const limited = await service.call<{ key: string }>("POST", "/key", {
    name: "limited",
    scope: "admin",
    hosts: ["192.0.2.0/24"],
  });
  const headers = { "X-API-KEY": limited.body.data.key };
  for (const [method, path] of [
    ["GET", "/inventory/source"],
    ["GET", "/inventory/source/nb"],
    ["PUT", "/inventory/source/nb"],
    ["DELETE", "/inventory/source/nb"],
    ["POST", "/inventory/source/nb/sync"],
  ] as const)
    expect((await service.call(method, path, method === "PUT" ? {} : undefined, headers)).status).toBe(403);
  expect((await service.call("DELETE", "/inventory/source/nb-wrong")).status).toBe(200);
  expect((await service.call("GET", "/inventory/source/nb-wrong")).status).toBe(404);
});

test("reveals no token or password in responses, audit trail and log", async () => {
  const answers = await Promise.all(
    ["/inventory/source", "/audit?limit=500", "/inventory/export?format=json"].map(async (path) =>
      JSON.stringify((await service.call("GET", path)).body),
    ),
  );
  for (const text of [...answers, service.output()])
    for (const secret of [
      netbox.token,
      wrong,
      "files-canary",
      "cf-canary",
      Buffer.from("bob:files-canary").toString("base64"),
    ])
      expect(text.includes(secret)).toBe(false);
  expect(answers[1]).toContain("inventory.source.sync");
  expect(answers[1]).toContain("env:netbox");
});
