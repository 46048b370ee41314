/** The history in Git remotes: pushed by itself over HTTPS, with equal ids from every copy; bundles; who may. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import type { RemoteRecord } from "../../../src/api/history/history-remote.ts";
import type { SignedCheckpoint } from "../../../src/api/ledger/ledger.ts";
import { readCheckpoints } from "../../../src/ledger/export-check.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn } from "../terminal.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const token = "remote-canary-0123456789";

const root = tempFolder();
const dataDir = tempFolder();
let server: GitServer;
let service: Service;
let device: SimulatedDevice;

const git = (path: string, ...args: string[]) =>
  execFileSync("git", ["-c", "safe.directory=*", "-C", path, ...args], {
    encoding: "utf8",
    stdio: "pipe",
  }).trim();

function bare(name: string): string {
  const path = join(root, name);
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", path]);
  git(path, "config", "http.receivepack", "true");
  return path;
}

const put = (name: string, more: object = {}) =>
  service.call<RemoteRecord>("PUT", `/history/remote/${name}`, {
    ...{ url: `${server.url}/net.git`, ca: server.certificate, credential: { name: "file", ref: "git" } },
    ...more,
  });
const push = (name: string) => service.call<RemoteRecord>("POST", `/history/remote/${name}/push`);
const read = async (name: string) =>
  (await service.call<RemoteRecord>("GET", `/history/remote/${name}`)).body.data;

async function change(text: string): Promise<void> {
  const lines = { device: "Core-1", config: `interface Ethernet1\n description ${text}` };
  const answer = await service.call("POST", "/device/execute", lines, { Prefer: "wait=60" });
  expect(answer.status).toBe(201);
  await take();
}
async function take(): Promise<void> {
  const answer = await service.call("POST", "/history/take", { device: "Core-1" }, { Prefer: "wait=60" });
  expect(answer.body).toMatchObject({ code: 200, data: { succeeded: [{ status: "finished" }] } });
}

const start = () =>
  startService({
    dataDir,
    env: {
      ...{ PATCHBAY_URL_ALLOW: "127.0.0.1", PATCHBAY_HISTORY_AFTER_PUSH: "false" },
      PATCHBAY_LEDGER_CHECKPOINT_REMOTE: "kept",
    },
  });

describe.skipIf(needs("git"))("remotes", () => {
  beforeAll(async () => {
    server = await startGitServer(root, `Basic ${Buffer.from(`git:${token}`).toString("base64")}`);
    device = await simulated("arista_eos", login);
    service = await start();
    await service.call("PUT", "/credential/lab", login);
    await service.call("PUT", "/credential/git", { password: token });
    const place = { host: "127.0.0.1", port: device.port, driver: "netmiko", platform: "arista_eos" };
    const answer = await service.call("POST", "/inventory/device", {
      groups: [{ name: "berlin" }],
      devices: [{ name: "Core-1", group: "berlin", ...place, credential: { name: "file", ref: "lab" } }],
    });
    expect(answer.status).toBe(200);
  });
  afterAll(async () => {
    await service.close();
    await device.stop();
    server.close();
  });

  test("a new version is pushed by itself, masked, under the name of its device", async () => {
    const remote = bare("net.git");
    const made = await put("main");
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({
      name: "main",
      state: "current",
      waiting: 0,
      branch: "main",
      verify: true,
    });
    await take();
    await expect.poll(() => read("main").then(({ head }) => head), { timeout: 60_000 }).not.toBeNull();
    const { head, state, waiting } = await read("main");
    expect({ state, waiting }).toEqual({ state: "current", waiting: 0 });
    expect(git(remote, "rev-parse", "main")).toBe(head);
    const text = git(remote, "show", "main:berlin/Core-1");
    expect(text).toContain("hostname");
    expect(text).not.toContain("canary");
    expect(service.output()).not.toContain(token);
  });

  test("its ids are equal from a copy that was made again, also after a restart and under a new name", async () => {
    const remote = join(root, "net.git");
    await change("one");
    expect((await push("main")).body.data).toMatchObject({ state: "current" });
    await service.call("PATCH", "/inventory/device/Core-1", { name: "Core-2" });
    const renamed = await service.call("POST", "/history/device/Core-1/rename", { to: "Core-9" });
    expect(renamed.status).toBe(200);
    await service.call("POST", "/history/device/Core-9/rename", { to: "Core-1" });
    const before = git(remote, "rev-parse", "main");
    await service.stop();
    rmSync(join(dataDir, "history"), { recursive: true });
    service = await start();
    await change("two");
    expect((await push("main")).body.data).toMatchObject({ state: "current", error: null });
    expect(git(remote, "rev-parse", "main~1")).toBe(before);
    bare("other.git");
    await put("other", { url: `${server.url}/other.git` });
    expect((await push("other")).body.data.head).toBe(git(remote, "rev-parse", "main"));
  });

  test("each group has a repository of its own with {group} in the URL", async () => {
    const remote = bare("berlin.git");
    await put("groups", { url: `${server.url}/{group}.git`, enabled: false });
    expect((await push("groups")).body.data).toMatchObject({ state: "current", head: null });
    expect(git(remote, "ls-tree", "-r", "--name-only", "main")).toBe("Core-1\nCore-1--startup");
    const answer = await put("groups", { url: `${server.url}/{group}-missing.git`, enabled: false });
    expect(answer.body.data).toMatchObject({ state: "off" });
    expect((await push("groups")).body).toMatchObject({
      code: -1,
      message: expect.stringMatching(/Repository berlin: /),
    });
  });

  test("commits of others stop it, and it says so until they are gone", async () => {
    const remote = join(root, "net.git");
    const mine = git(remote, "rev-parse", "main");
    const person = ["-c", "user.name=x", "-c", "user.email=x@x"];
    const theirs = git(
      remote,
      ...person,
      "commit-tree",
      "-p",
      "main",
      "-m",
      "theirs",
      git(remote, "rev-parse", "main^{tree}"),
    );
    git(remote, "update-ref", "refs/heads/main", theirs);
    await change("three");
    expect((await push("main")).body).toMatchObject({
      code: -1,
      message: expect.stringMatching(/nothing is ever forced/),
    });
    expect(await read("main")).toMatchObject({
      state: "failing",
      waiting: 1,
      failing_since: expect.any(String),
    });
    expect(git(remote, "rev-parse", "main")).toBe(theirs);
    git(remote, "update-ref", "refs/heads/main", mine);
    expect((await push("main")).body.data).toMatchObject({ state: "current", waiting: 0, error: null });
    expect(git(remote, "rev-parse", "main~1")).toBe(mine);
  });

  test("a store that was restored from a backup does not mix with what it pushed later", async () => {
    const remote = join(root, "net.git");
    await service.call("PUT", "/history/remote/groups", { url: `${server.url}/none.git`, enabled: false });
    const copy = join(tempFolder(), "copy");
    await service.stop();
    execFileSync("cp", ["-a", dataDir, copy]);
    service = await start();
    await change("four");
    await push("main");
    const ahead = git(remote, "rev-parse", "main");
    await service.stop();
    execFileSync("sh", ["-c", `rm -rf ${dataDir}/patchbay.db* && cp -a ${copy}/patchbay.db* ${dataDir}/`]);
    service = await start();
    await change("five");
    expect((await push("main")).body).toMatchObject({
      code: -1,
      message: expect.stringMatching(/restored from a backup/),
    });
    expect(git(remote, "rev-parse", "main")).toBe(ahead);
    await put("main", { branch: "after-restore" });
    expect((await push("main")).body.data).toMatchObject({ state: "current" });
    expect(git(remote, "rev-parse", "after-restore~1")).toBe(git(remote, "rev-parse", "main~1"));
  });

  test("checkpoints of the ledger are commits of a branch that only grows; one that was rewritten is told", async () => {
    const remote = bare("kept.git");
    const branch = "patchbay-ledger";
    const head = () => git(remote, "for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`);
    const signed = async (name: string) => {
      await service.call("PUT", `/credential/${name}`, { password: "x" });
      const answer = await service.call<SignedCheckpoint>("POST", "/ledger/checkpoint");
      return answer.body.data;
    };
    const kept = () => {
      const files = git(remote, "ls-tree", "-r", "--name-only", branch).split("\n");
      return readCheckpoints(files.map((file) => git(remote, "show", `${branch}:${file}`)).join("\n"));
    };
    const metrics = async () =>
      (await fetch(`${service.url}/metrics`, { headers: { "X-API-KEY": service.key } })).text();
    const arrived = async (checkpoint: SignedCheckpoint) => {
      await expect.poll(metrics, { timeout: 60_000 }).toMatch(/^patchbay_ledger_checkpoints_pending\S* 0$/m);
      expect(kept().at(-1)).toEqual(checkpoint);
    };
    // Checkpoints from before the remote was known wait for it.
    await signed("c1");
    await put("kept", { url: `${server.url}/kept.git`, enabled: false });
    await arrived(await signed("c2"));
    const first = head();
    // A node without a copy of its own goes on from the remote.
    await service.stop();
    rmSync(join(dataDir, "history", "records"), { recursive: true });
    service = await start();
    const second = await signed("c3");
    await arrived(second);
    const all = head();
    expect(git(remote, "merge-base", "--is-ancestor", first, all)).toBe("");
    expect(kept().map(({ checkpoint }) => checkpoint.seq)).toEqual(
      kept()
        .map(({ checkpoint }) => checkpoint.seq)
        .toSorted((one, other) => one - other),
    );
    // Cut back, it gets again what it had.
    git(remote, "update-ref", `refs/heads/${branch}`, first);
    const third = await signed("c4");
    await arrived(third);
    expect(git(remote, "merge-base", "--is-ancestor", all, head())).toBe("");
    // Rewritten, it gets nothing.
    const person = ["-c", "user.name=x", "-c", "user.email=x@x"];
    const tree = git(remote, "rev-parse", `${branch}^{tree}`);
    const theirs = git(remote, ...person, "commit-tree", "-p", first, "-m", "theirs", tree);
    git(remote, "update-ref", `refs/heads/${branch}`, theirs);
    await signed("c5");
    await expect.poll(() => service.output(), { timeout: 60_000 }).toMatch(/forced.*ledger\.not_sent/);
    expect(head()).toBe(theirs);
    expect(service.output()).not.toContain(token);
  });

  test("a bundle can be cloned; of a group too", async () => {
    const bundle = async (query = "") => {
      const answer = await fetch(`${service.url}/history/export.bundle${query}`, {
        headers: { "X-API-KEY": service.key },
      });
      const file = join(tempFolder(), "x.bundle");
      writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
      return { status: answer.status, file };
    };
    const { status, file } = await bundle();
    expect(status).toBe(200);
    const clone = join(tempFolder(), "clone");
    execFileSync("git", ["clone", "-q", file, clone]);
    expect(git(clone, "rev-parse", "HEAD")).toBe(git(join(root, "net.git"), "rev-parse", "after-restore"));
    const one = await bundle("?group=berlin");
    mkdirSync(`${clone}-2`);
    execFileSync("git", ["clone", "-q", one.file, `${clone}-2`]);
    expect(git(`${clone}-2`, "ls-files")).toBe("Core-1\nCore-1--startup");
    expect((await bundle("?group=nowhere")).status).toBe(404);
  });

  test("an operator adds, pushes, shows and removes them", async () => {
    const remote = bare("cli.git");
    const someone = await loggedIn(service.url, adminKey);
    const cli = (...args: string[]) => someone.piped(["history", "remote", ...args]);
    const authority = join(someone.home, "authority.pem");
    writeFileSync(authority, server.certificate);
    expect(await cli("put", "cli")).toMatchObject({ code: 2, err: expect.stringContaining("--to") });
    const to = ["--to", `${server.url}/cli.git`, "--credential", "file:git", "--authority", authority];
    const added = await cli("put", "cli", ...to, "--no-enabled");
    expect(added).toMatchObject({ code: 0, err: "" });
    expect(added.out).toMatch(/^state +off\n/m);
    expect(added.out).toMatch(/^credential +\{"name":"file","ref":"git"\}$/m);
    const pushed = await cli("push", "cli", "--json");
    expect(JSON.parse(pushed.out)).toMatchObject({ name: "cli", head: git(remote, "rev-parse", "main") });
    const file = join(someone.home, "remote.yaml");
    writeFileSync(file, `url: ${server.url}/nowhere.git\nenabled: false\n`);
    expect((await cli("put", "second", file, "--branch", "trunk")).out).toMatch(/^branch +trunk$/m);
    expect(await cli("push", "second")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("patchbay: "),
    });
    expect((await cli("show", "second")).out).toMatch(/^name +second\n/);
    const { out } = await cli("list");
    expect(out).toMatch(/^cli +https:\S+cli\.git +main +current +0 /m);
    expect(await cli("remove", "second")).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
    for (const name of ["cli", "second"])
      expect((await cli("remove", name, "--yes")).err).toBe(`${name} is removed.\n`);
    expect((await cli("show", "cli")).code).toBe(1);
  });

  test("who may: admins write, and a key with a limited reach has no part in it", async () => {
    const key = async (body: object) =>
      (await service.call<{ key: string }>("POST", "/key", { name: `k-${Math.random()}`, ...body })).body.data
        .key;
    const as = (apiKey: string, method: string, path: string, body?: object) =>
      service.call(method, path, body, { "X-API-KEY": apiKey }).then(({ status }) => status);
    const operator = await key({ scope: "operate" });
    const limited = await key({ scope: "admin", hosts: ["10.0.0.0/8"] });
    const body = { url: `${server.url}/net.git` };
    expect(await as(operator, "PUT", "/history/remote/x", body)).toBe(403);
    expect(await as(operator, "POST", "/history/remote/main/push")).toBe(403);
    for (const [method, path] of [
      ["GET", "/history/remote"],
      ["GET", "/history/export.bundle"],
      ["DELETE", "/history/remote/main"],
    ] as const)
      expect(await as(limited, method, path)).toBe(403);
    for (const wrong of [
      { url: "http://git.test/x" },
      { url: "file:///etc" },
      { url: "https://u:p@git.test/x" },
      { ...body, branch: "--force" },
      { ...body, branch: "a..b" },
      { ...body, host_key: "MD5:1" },
      { ...body, ca: "words" },
      { ...body, other: 1 },
    ])
      expect((await put("x", { ca: undefined, ...wrong })).status).toBe(422);
    const gone = await service.call("DELETE", "/history/remote/other");
    expect(gone.status).toBe(200);
    expect((await service.call("GET", "/history/remote/other")).status).toBe(404);
  });
});
