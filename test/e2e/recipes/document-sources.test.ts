/** Templates and recipes that sources bring: a folder, a repository, an address. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const root = join(tempFolder(), "root");
const outside = tempFolder();
let texts: Record<string, string> = {};
let files: Server;
let base: string;
let service: Service;

beforeAll(async () => {
  mkdirSync(root);
  files = createServer((request, response) => {
    const text = texts[request.url ?? ""];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  await new Promise<void>((done) => files.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  service = await startService({
    env: { PATCHBAY_URL_ALLOW: "127.0.0.1", PATCHBAY_TEMPLATE_ROOTS: root },
  });
});
afterAll(async () => {
  await service.stop();
  files.close();
});

const put = async (name: string, source: object) => {
  const answer = await service.call("PUT", `/inventory/source/${name}`, source);
  expect([answer.status, answer.body]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
};
const sync = (name: string, search = "") =>
  service.call<Record<string, unknown>>("POST", `/inventory/source/${name}/sync${search}`);
const template = async (name: string) => {
  const { status, body } = await service.call("GET", `/template/${name}`);
  return status === 200 ? body.data : status;
};
const write = (path: string, text: string) => writeFileSync(join(root, path), text);
const hello = 'tests:\n  - {context: {name: you}, expected: "hello you"}\n';

test("a folder: what it brings says so, and is changed there only", async () => {
  mkdirSync(join(root, "net/deep"), { recursive: true });
  write("net/hello.yaml", hello);
  write("net/hello.j2", "hello {{ name }}");
  write("net/deep/names.textfsm", "Value Name (\\S+)\n\nStart\n  ^name ${Name} -> Record\n");
  write("net/.hidden.yaml", "broken: [");
  writeFileSync(join(outside, "secret.j2"), "secret");
  symlinkSync(join(outside, "secret.j2"), join(root, "net/secret.j2"));
  await put("net", { kind: "local_folder", url: `file://${root}/net`, brings: "templates", mode: "mirror" });
  expect((await sync("net", "?dry_run=true")).body.data).toMatchObject({ added: 2, dry_run: true });
  expect(await template("hello")).toBe(404);
  expect((await sync("net")).body.data).toMatchObject({ status: "succeeded", added: 2, unchanged: 0 });
  expect(await template("hello")).toMatchObject({ engine: "jinja2", source: "net", version: 1 });
  expect(await template("secret")).toBe(404);
  const render = { template: "template://hello", context: { name: "you" } };
  expect((await service.call("POST", "/template/render", render)).body.data).toBe("hello you");
  for (const [method, body] of [["PUT", { engine: "jinja2", template: "x" }], ["DELETE"]] as const) {
    const refused = await service.call(method, "/template/hello", body);
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining("the source net")]);
  }
  expect((await sync("net")).body.data).toMatchObject({ added: 0, unchanged: 2 });
  expect(await template("hello")).toMatchObject({ version: 1 });
});

test("a broken file changes nothing, and every fault of every file is told at once", async () => {
  write("net/hello.j2", "bye {{ name }}");
  write("net/names.yaml", "engine: none\nodd: 1\n");
  write("net/new.j2", "{% if %}");
  write("net/render.j2", "x");
  write("net/good.j2", "good");
  const { status, body } = await sync("net");
  expect([status, body.data]).toEqual([
    422,
    expect.arrayContaining([
      expect.objectContaining({ path: "hello.yaml", message: expect.stringContaining("does not pass") }),
      expect.objectContaining({ path: "names.yaml", message: expect.stringContaining("odd") }),
      expect.objectContaining({ path: "new.j2", message: expect.stringContaining("does not compile") }),
      expect.objectContaining({ path: "render.j2", message: expect.stringContaining("its name") }),
    ]),
  ]);
  expect(await template("hello")).toMatchObject({ version: 1, template: "hello {{ name }}" });
  expect(await template("good")).toBe(404);
  for (const name of ["names.yaml", "new.j2", "render.j2"]) rmSync(join(root, "net", name));
  write("net/hello.yaml", hello.replace("hello you", "bye you"));
  rmSync(join(root, "net/deep"), { recursive: true });
  expect((await sync("net")).body.data).toMatchObject({ added: 1, changed: 1, removed: 1 });
  expect(await template("hello")).toMatchObject({ version: 2, template: "bye {{ name }}" });
  expect(await template("names")).toBe(404);
});

test("what somebody wrote here, or another source has brought, is not taken over", async () => {
  expect((await service.call("PUT", "/template/mine", { engine: "jinja2", template: "mine" })).status).toBe(
    201,
  );
  mkdirSync(join(root, "other"));
  write("other/mine.j2", "theirs");
  write("other/hello.j2", "theirs");
  await put("other", { kind: "local_folder", url: `file://${root}/other`, brings: "templates" });
  const { status, body } = await sync("other");
  expect([status, body.data]).toEqual([
    422,
    [
      { path: "mine.j2", message: "mine is there already, written here" },
      { path: "hello.j2", message: "hello is there already, of the source net" },
    ].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  ]);
  expect(await template("mine")).toMatchObject({ template: "mine", version: 1 });
  // An empty folder looks like a broken one.
  for (const name of ["hello.yaml", "hello.j2", "good.j2"]) rmSync(join(root, "net", name));
  expect((await sync("net")).status).toBe(422);
  expect(await template("hello")).toMatchObject({ version: 2 });
  // What a source brought that is gone may be taken over.
  expect((await service.call("DELETE", "/inventory/source/net")).status).toBe(200);
  rmSync(join(root, "other/mine.j2"));
  expect((await sync("other")).body.data).toMatchObject({ status: "succeeded", changed: 1 });
  expect(await template("hello")).toMatchObject({ source: "other", version: 3 });
  expect((await service.call("DELETE", "/inventory/source/other")).status).toBe(200);
  expect((await service.call("DELETE", "/template/hello")).status).toBe(200);
});

test.skipIf(needs("git"))("a repository brings recipes, with the commit that they are of", async () => {
  const repository = join(root, "recipes");
  mkdirSync(join(repository, "site"), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: repository })
      .toString()
      .trim();
  writeFileSync(
    join(repository, "site/say.yaml"),
    "title: Say\nsteps:\n  - {name: say, kind: render, request: {template: text}}\n",
  );
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "-m", "one");
  await put("repo", { kind: "git", url: `file://${repository}`, path: "site", brings: "recipes" });
  expect((await sync("repo")).body.data).toMatchObject({ added: 1 });
  const read = await service.call("GET", "/recipe/say");
  expect(read.body.data).toMatchObject({ title: "Say", source: "repo", revision: git("rev-parse", "HEAD") });
  expect((await service.call("GET", "/recipe")).body.data).toEqual([
    expect.objectContaining({ name: "say", source: "repo", title: "Say", steps: 1 }),
  ]);
  const run = await service.call("POST", "/recipe/say/run", {}, { Prefer: "wait=60" });
  expect(run.body.data).toMatchObject({ state: "finished" });
  expect((await service.call("PUT", "/recipe/say", { steps: [] })).status).toBeOneOf([409, 422]);
  writeFileSync(join(repository, "site/say.yaml"), "steps: [{name: say, kind: none}]");
  git("commit", "--quiet", "-am", "two");
  const broken = await sync("repo");
  expect([broken.status, JSON.stringify(broken.body)]).toEqual([422, expect.stringContaining("say.yaml")]);
  expect((await service.call("GET", "/recipe/say")).body.data).toMatchObject({ version: 1 });
});

test("an address brings one file, under the rules for addresses", async () => {
  texts = { "/lines/motd.j2": "welcome to {{ name }}" };
  await put("motd", { kind: "url", url: `${base}/lines/motd.j2`, brings: "templates" });
  expect((await sync("motd")).body.data).toMatchObject({ added: 1 });
  expect(await template("motd")).toMatchObject({ template: "welcome to {{ name }}", source: "motd" });
  texts = { "/lines/motd.j2": `${"x".repeat(300_000)}` };
  expect((await sync("motd")).status).toBe(422);
  await put("inner", { kind: "url", url: "http://127.0.0.2:9/x.j2", brings: "templates" });
  expect((await sync("inner")).status).toBeOneOf([200, 403]);
  expect((await sync("inner")).body.code).toBe(-1);
  for (const path of [outside, "/a%2Fb", "/a%00b"]) {
    await put("elsewhere", { kind: "local_folder", url: `file://${path}`, brings: "templates" });
    expect([path, (await sync("elsewhere")).status]).toEqual([path, 403]);
  }
});

test.each<[object, string]>([
  [{ kind: "netbox", url: "https://192.0.2.1", brings: "templates" }, "brings"],
  [{ kind: "local_folder", url: "file:///x", brings: "jobs" }, "brings"],
  [{ kind: "local_folder", url: "file:///x", brings: "templates", format: "csv" }, "format"],
  [{ kind: "local_folder", url: "file:///x", brings: "recipes", max_removals: 1 }, "max_removals"],
  [{ kind: "local_folder", url: "https://192.0.2.1/x", brings: "recipes" }, "url"],
  [{ kind: "local_folder", url: "file:///x" }, "format"],
])("a source that makes no sense is refused: %j", async (source, path) => {
  const { status, body } = await service.call("PUT", "/inventory/source/odd", source);
  expect([status, body.data]).toEqual([422, expect.arrayContaining([expect.objectContaining({ path })])]);
});

test("a thousand templates with tests are synced at once, and again only what has changed is tried", async () => {
  mkdirSync(join(root, "many"), { recursive: true });
  const test = (at: number) => `  - {context: {n: ${at}}, expected: "line ${at}"}\n`;
  const write = (at: number, text: string) =>
    writeFileSync(
      join(root, `many/t${at}.yaml`),
      `engine: jinja2\ntemplate: "${text}"\ntests:\n${test(at)}${test(at + 1)}`,
    );
  const renders = async () => {
    const said = await (
      await fetch(`${service.url}/metrics`, { headers: { "X-API-KEY": service.key } })
    ).text();
    return [...said.matchAll(/^patchbay_template_\w*seconds_count\S* (\d+)/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  };
  await put("many", {
    kind: "local_folder",
    url: `file://${root}/many`,
    brings: "templates",
    mode: "mirror",
  });
  const already = ((await service.call<object[]>("GET", "/template")).body.data ?? []).length;
  const most = 1_000 - already;
  for (let at = 0; at < most; at++) write(at, "line {{ n }}");
  const timed = async (what: object) => {
    const [began, before] = [performance.now(), await renders()];
    expect((await sync("many")).body.data).toMatchObject({ status: "succeeded", ...what });
    return { ms: Math.round(performance.now() - began), rendered: (await renders()) - before };
  };
  const first = await timed({ added: most });
  const again = await timed({ added: 0, changed: 0, unchanged: most });
  write(7, "line  {{ n }}");
  const broken = await sync("many");
  expect(JSON.stringify(broken.body)).toContain("t7.yaml");
  expect(again.rendered).toBeLessThanOrEqual(first.rendered);
  console.log(JSON.stringify({ templates: most, first, again }));
}, 900_000);
