/** Sources that answer wrongly, in part, or without end: nothing is changed, and the run says why. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

type Answer = (request: IncomingMessage, response: ServerResponse, offset: number) => void;

const token = "netbox-canary-0123456789abcdef";
const repositories = join(tempFolder(), "repositories");
const dataDir = tempFolder();
const elsewhere: (string | undefined)[] = [];
let netbox: Server;
let other: Server;
let answer: Answer;
let url: string;
let service: Service;

const start = () =>
  startService({
    dataDir,
    env: {
      PATCHBAY_URL_ALLOW: "127.0.0.1",
      PATCHBAY_TEMPLATE_ROOTS: repositories,
      PATCHBAY_PLUGIN_ENV_NETBOX_PASSWORD: token,
    },
  });
const listening = async (server: Server) => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
let otherUrl: string;

beforeAll(async () => {
  mkdirSync(repositories);
  netbox = createServer((request, response) => {
    const offset = new URL(request.url ?? "/", "http://x").searchParams.get("offset");
    answer(request, response, Number(offset ?? 0));
  });
  other = createServer((request, response) => {
    elsewhere.push(request.headers.authorization);
    response.end(JSON.stringify({ count: 0, next: null, results: [] }));
  });
  [url, otherUrl] = [await listening(netbox), await listening(other)];
  service = await start();
});
afterAll(async () => {
  await service.stop();
  for (const server of [netbox, other]) {
    server.closeAllConnections();
    server.close();
  }
});

const named = (id: number, name = `nb${id}`, custom_fields = {}) => ({ id, name, custom_fields });
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => named(from + at));
/** A page with a link to the next one, if given. */
const page = (results: object[], count: number, next?: number) =>
  JSON.stringify({
    count,
    next: next === undefined ? null : `${url}/api/dcim/devices/?offset=${next}`,
    results,
  });
const always =
  (text: string, status = 200, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end(text);

const put = (name: string, more: object = {}) =>
  service.call("PUT", `/inventory/source/${name}`, {
    kind: "netbox",
    url,
    credential: { name: "env", ref: "netbox" },
    mode: "mirror",
    ...more,
  });
const sync = (name: string) => service.call<Record<string, number>>("POST", `/inventory/source/${name}/sync`);
async function devices(): Promise<number> {
  return (await service.call<unknown[]>("GET", "/inventory/device?limit=500")).body.data.length;
}

describe("NetBox", () => {
  test("brings 100 devices", async () => {
    answer = always(page(range(0, 100), 100));
    await put("nb", { max_removals: 1_000 });
    expect((await sync("nb")).body.data).toMatchObject({ added: 100 });
  });

  const large = "x".repeat(15 * 1024 * 1024);
  test.each<[string, () => Answer, RegExp]>([
    ["a list that ends early", () => always(page(range(0, 50), 100)), /counts 100 devices and lists 50/],
    [
      "a list in which a device moved from one page to the other",
      () => (_request, response, offset) =>
        void response.end(offset === 0 ? page(range(0, 50), 100, 50) : page(range(49, 99), 100)),
      /counts 100 devices and lists 99/,
    ],
    ["a page that follows itself", () => always(page(range(0, 50), 100, 0)), /pages have no end/],
    [
      "pages without end",
      () => (_request, response, offset) => void response.end(page([], 100, offset + 500)),
      /pages have no end/,
    ],
    [
      "a page of 17 MiB",
      () => always(page([named(1, "a", { large: large + large.slice(0, 2 ** 21) })], 1)),
      /larger than/,
    ],
    [
      "more in all pages than fits",
      () => (_request, response, offset) =>
        void response.end(page([named(offset, `a${offset}`, { large })], 100, offset + 1)),
      /more than 64 MiB/,
    ],
    [
      "another type",
      () => always(JSON.stringify({ count: "1", next: null, results: {} })),
      /not a list of devices/,
    ],
    ["a nested answer", () => always("[".repeat(1_000_000)), /not JSON/],
    ["an answer cut in the middle", () => cut, /closed|lost|reset|aborted/i],
    ["a redirect", () => always("", 302, { Location: `${otherUrl}/api/dcim/devices/` }), /answered 302/],
    ["429", () => always("slow down", 429, { "Retry-After": "60" }), /answered 429/],
    ["503", () => always("<html>down</html>", 503), /answered 503/],
    [
      "names that differ in case only",
      () => always(page([named(1, "core-1"), named(2, "CORE-1")], 2)),
      /CORE-1 already exists/,
    ],
    [
      "names that are the same as entries",
      () => always(page([named(1, "core 1"), named(2, "core/1")], 2)),
      /core-1 already exists/,
    ],
  ])("%s changes nothing", async (_what, make, reason) => {
    answer = make();
    const { body } = await sync("nb");
    expect(body.code).toBe(-1);
    expect(JSON.stringify(body)).toMatch(reason);
    const { runs } = (
      await service.call<{ runs: { status: string; error: string }[] }>("GET", "/inventory/source/nb")
    ).body.data;
    expect(runs[0]).toMatchObject({ status: "failed", error: expect.stringMatching(reason) });
    expect(await devices()).toBe(100);
    expect(elsewhere).toEqual([]);
    expect(service.output() + JSON.stringify([body, runs])).not.toContain(token);
  });

  test("a device that is renamed in case keeps its entry", async () => {
    answer = always(page([named(0, "NB0"), ...range(1, 100)], 100));
    expect((await sync("nb")).body.data).toMatchObject({ changed: 1, removed: 0 });
    expect(await devices()).toBe(100);
  });

  test("a mirror that lost many devices is refused unless max_removals allows it", async () => {
    answer = always(page(range(0, 70), 70));
    await put("nb");
    expect((await sync("nb")).body.data).toEqual([
      { path: "max_removals", message: expect.stringContaining("30 would be removed, more than 20") },
    ]);
    const dry = await service.call("POST", "/inventory/source/nb/sync?dry_run=true");
    expect(dry.body).toMatchObject({
      data: { removed: 30 },
      warnings: [expect.stringContaining("set max_removals")],
    });
    expect(await devices()).toBe(100);
    answer = always(page(range(0, 85), 85));
    expect((await sync("nb")).body.data).toMatchObject({ removed: 15 });
    await put("nb", { max_removals: 80 });
    answer = always(page(range(0, 10), 10));
    expect((await sync("nb")).body.data).toMatchObject({ removed: 75 });
  });

  test("a kill in the middle of a sync changes nothing, and the next sync is whole", async () => {
    const asked = Promise.withResolvers<void>();
    answer = (_request, response, offset) => {
      if (offset === 0) return void response.end(page(range(0, 5), 10, 5));
      asked.resolve();
    };
    const cutOff = sync("nb").catch(() => undefined);
    await asked.promise;
    await service.kill();
    await cutOff;
    service = await start();
    expect(await devices()).toBe(10);
    answer = always(page(range(0, 12), 12));
    expect((await sync("nb")).body.data).toMatchObject({ added: 2, removed: 0 });
  });
});

function cut(_request: IncomingMessage, response: ServerResponse): void {
  const text = page(range(0, 100), 100);
  response.writeHead(200, { "Content-Length": text.length });
  response.write(text.slice(0, 1_000), () => void response.socket?.destroy());
}

describe.skipIf(needs("git"))("a repository", () => {
  const git = (folder: string, ...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example", ...args], {
      stdio: "pipe",
    });
  const source = (path: string, more: object = {}) => ({
    kind: "git",
    url: `file://${repositories}/fleet`,
    path,
    format: "csv",
    credential: null,
    ...more,
  });
  beforeAll(() => {
    const fleet = join(repositories, "fleet");
    mkdirSync(fleet);
    git(fleet, "init", "-q", "-b", "main");
    writeFileSync(
      join(fleet, "lfs.csv"),
      "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    );
    writeFileSync(
      join(fleet, ".gitmodules"),
      '[submodule "sub"]\n\tpath = sub\n\turl = ext::sh -c touch% /tmp/owned\n',
    );
    symlinkSync("/etc/passwd", join(fleet, "link.csv"));
    git(fleet, "add", "-A");
    git(fleet, "commit", "-q", "-m", "first");
    git(fleet, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
    git(fleet, "commit", "-q", "-m", "a submodule");
  });

  test.each([
    ["lfs.csv", /lfs\.csv is kept with Git LFS/],
    ["link.csv", /no file link\.csv/],
    ["sub", /no file sub/],
    ["sub/a.csv", /no file sub\/a\.csv/],
  ])("%s is not read", async (path, reason) => {
    await put("git", source(path));
    expect((await sync("git")).body.message).toMatch(reason);
  });

  test.each([
    ["url", { url: "ext::sh -c id" }],
    ["url", { url: "--upload-pack=id" }],
    ["url", { url: `https://user:${token}@git.example/x` }],
    ["ref", { ref: "--upload-pack=id" }],
    ["path", { path: "--output=/tmp/x" }],
    ["path", { path: "../../etc/passwd" }],
  ])("a hostile %s is refused: %j", async (field, more) => {
    const { status, body } = await put("hostile", source("a.csv", more));
    expect([status, JSON.stringify(body.data)]).toEqual([422, expect.stringContaining(`"path":"${field}"`)]);
    expect(JSON.stringify(body)).not.toContain(token);
  });

  test("a host that looks like an option is not contacted", async () => {
    await put("dash", source("a.csv", { url: "ssh://-oProxyCommand=id/x" }));
    expect((await sync("dash")).body).toMatchObject({ code: -1 });
  });
});
