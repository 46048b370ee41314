/** Histories of Oxidized are imported: once, in time where they belong, masked, and go on after a kill. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import type { VersionRecord } from "../../../src/api/history/history.ts";
import { adminKey, programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { loggedIn, type Operator } from "../terminal.ts";

let service: Service;
let someone: Operator;

function repository(stream: string): string {
  const path = join(tempFolder(), "net.git");
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", path]);
  execFileSync("git", ["-C", path, "fast-import", "--quiet"], { input: stream });
  return path;
}

const commit = (second: number, file: string, text: string, message = "update x") =>
  `commit refs/heads/main\nauthor Ada <ada@x> ${second} +0000\ncommitter Ada <ada@x> ${second} +0000\ndata ${message.length}\n${message}\nM 100644 inline ${file}\ndata ${Buffer.byteLength(text)}\n${text}\n`;

const ios = (word: string, description: string) =>
  `! Oxidized comment\nhostname core\nsnmp-server community ${word} RO\nenable secret 5 <secret hidden>\ninterface Ethernet1\n description ${description}\nend\n`;

const versions = async (name: string) =>
  (await service.call<VersionRecord[]>("GET", `/history/device/${name}`)).body.data;
const text = async (name: string, number: string | number) =>
  (await service.call<{ text: string }>("GET", `/history/device/${name}/${number}`)).body.data.text;

describe.skipIf(needs("git"))("imports", () => {
  beforeAll(async () => {
    service = await startService();
    someone = await loggedIn(service.url, adminKey, {});
    const device = {
      name: "Core-1",
      host: "192.0.2.1",
      driver: "netmiko",
      platform: "cisco_ios",
      group: "berlin",
    };
    await service.call("POST", "/inventory/device", { groups: [{ name: "berlin" }], devices: [device] });
  });
  afterAll(() => service.stop());

  test("every commit is a version with its author and time; again it adds nothing", async () => {
    const path = repository(
      commit(1_600_000_000, "berlin/core-1", ios("canary-old", "one"), "CHG-1 first") +
        commit(1_600_000_100, "berlin/core-1", ios("canary-old", "two")) +
        commit(1_600_000_200, "old/gone-7", "hostname gone\npassword canary-gone\n") +
        commit(1_600_000_300, "berlin/core-1", ios("canary-new", "two")) +
        commit(1_600_000_400, "README.md", "about"),
    );
    const dry = await someone.piped(["history", "import", path, "--dry-run"]);
    expect(dry).toMatchObject({
      code: 0,
      err: expect.stringContaining("4 versions of 2 devices would be sent."),
    });
    const first = await someone.piped(["history", "import", path]);
    expect(first.code).toBe(0);
    expect(first.err).toMatch(/4 versions of 2 devices: 4 added, 0 already there, 0 equal/);
    expect(first.err).toMatch(/Not in the inventory, kept under their names: gone-7\./);
    expect(first.err).toMatch(/no files of devices: README\.md\./);
    const again = await someone.piped(["history", "import", path]);
    expect(again.err).toMatch(/4 versions of 2 devices: 0 added, 4 already there/);
    const [newest, middle, oldest] = await versions("Core-1");
    expect(oldest).toMatchObject({
      ...{ device: "Core-1", source: "import", state: "good", who: "Ada", note: "CHG-1 first" },
      taken_at: expect.stringMatching(/^2020-09-13T12:26:40/),
    });
    expect([middle?.added, middle?.removed]).toEqual([1, 1]);
    expect(newest).toMatchObject({ version: 3, added: 1, removed: 1 });
    const masked = await text("Core-1", "latest");
    expect(masked).toContain("! Oxidized comment\n");
    expect(masked).toContain("<secret hidden>");
    expect(masked).not.toContain("canary");
    expect(await text("gone-7", 1)).not.toContain("canary");
    const devices = await service.call<{ device: string; in_inventory: boolean }[]>("GET", "/history/device");
    expect(devices.body.data).toMatchObject([
      { device: "Core-1", in_inventory: true, group: "berlin" },
      { device: "gone-7", in_inventory: false, group: "old" },
    ]);
  });

  test("older versions that come later are no newer than what is there", async () => {
    const path = repository(commit(1_500_000_000, "core-1", ios("x", "zero")));
    expect((await someone.piped(["history", "import", path])).err).toMatch(/1 added/);
    expect(await text("Core-1", "latest")).toContain("description two");
    const list = await versions("Core-1");
    expect(list.map(({ version }) => version)).toEqual([3, 2, 1, 4]);
    const then = await service.call<{ text: string }>(
      "GET",
      "/history/device/Core-1/latest?at=2018-01-01T00:00:00Z",
    );
    expect(then.body.data.text).toContain("description zero");
  });

  test.skipIf(needs("cvs"))(
    "a CVS tree of RANCID has all its commits once git has converted it",
    async () => {
      const root = tempFolder();
      // Who works as root is asked for another name by CVS.
      const env = { PATH: process.env.PATH, HOME: root, CVSROOT: join(root, "cvs"), LOGNAME: "nobody" };
      const within = (cwd: string) => (program: string, args: readonly string[]) =>
        execFileSync(program, args, { cwd, env, stdio: "pipe" });
      const [above, tree] = [within(root), within(join(root, "core"))];
      above("cvs", ["init"]);
      mkdirSync(join(root, "cvs/core"));
      above("cvs", ["-Q", "checkout", "core"]);
      mkdirSync(join(root, "core/configs"));
      const keep = (file: string, content: string, message: string) => {
        writeFileSync(join(root, "core", file), content);
        tree("cvs", ["-Q", "commit", "-m", message]);
      };
      for (const file of ["router.db", "configs/cvs-1", "configs/cvs-2"])
        writeFileSync(join(root, "core", file), `!RANCID-CONTENT-TYPE: cisco\n!\nhostname first\n`);
      tree("cvs", ["-Q", "add", "router.db", "configs"]);
      tree("cvs", ["-Q", "add", "configs/cvs-1", "configs/cvs-2"]);
      tree("cvs", ["-Q", "commit", "-m", "new router"]);
      keep("configs/cvs-1", "!RANCID-CONTENT-TYPE: cisco\n!\nhostname second\n", "CHG-8");
      keep(
        "configs/cvs-1",
        "!RANCID-CONTENT-TYPE: cisco\n!\nhostname third\nsnmp-server community canary-cvs RO\n",
        "CHG-9",
      );
      const path = join(root, "converted");
      above("git", ["cvsimport", "-a", "-C", path, "core"]);
      const { code, err } = await someone.piped(["history", "import", path, "--group", "core"]);
      expect([code, err]).toEqual([0, expect.stringMatching(/4 versions of 2 devices: 4 added/)]);
      const list = await versions("cvs-1");
      expect(list.map(({ who, note }) => [who, note])).toEqual([
        ["nobody", "CHG-9"],
        ["nobody", "CHG-8"],
        ["nobody", "new router"],
      ]);
      const shown = await Promise.all([1, 2, 3].map((number) => text("cvs-1", number)));
      const names = shown.map((one) => /^hostname (.*)$/m.exec(one)?.[1]);
      expect(names).toEqual(["first", "second", "third"]);
      expect(shown.join("")).not.toContain("canary");
      expect(await text("cvs-2", "latest")).toContain("hostname first");
    },
  );

  test("after kills in the middle it is there once", async () => {
    const parts: string[] = [];
    for (let at = 0; at < 2_000; at++)
      parts.push(commit(1_610_000_000 + at, `acc-${at % 20}`, `hostname acc\nrevision ${at}\n`));
    const path = repository(parts.join(""));
    const [program, ...first] = programOf();
    const surroundings = { PATH: process.env.PATH, HOME: someone.home };
    for (let kills = 0; kills < 5; kills++) {
      const child = spawn(program, [...first, "history", "import", path], {
        env: surroundings,
        stdio: "ignore",
      });
      const due = new Promise((done) => setTimeout(done, 500 + Math.random() * 1_500));
      const exited = once(child, "exit");
      await Promise.race([due, exited]);
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await exited;
    }
    const begun = (await versions("acc-0")).length;
    expect(begun).toBeGreaterThan(0);
    const last = await someone.piped(["history", "import", path]);
    expect(last.err).toMatch(
      /2000 versions of 20 devices: \d+ added|2,000 versions of 20 devices: \d+ added/,
    );
    for (const name of ["acc-0", "acc-19"]) {
      const list = (await service.call<VersionRecord[]>("GET", `/history/device/${name}?limit=500`)).body
        .data;
      expect(list).toHaveLength(100);
      expect(new Set(list.map(({ sha256 }) => sha256)).size).toBe(100);
    }
    expect(await text("acc-3", "latest")).toBe("hostname acc\nrevision 1983\n");
  }, 180_000);

  test("hostile requests are refused, and who may not may not", async () => {
    const version = { device: "x", taken_at: "2020-01-01T00:00:00Z", origin: "a", text: "x" };
    const send = (more: object, key = adminKey) =>
      service.call("POST", "/history/import", { versions: [{ ...version, ...more }] }, { "X-API-KEY": key });
    for (const wrong of [
      { device: "" },
      { device: "a\nb" },
      { device: "x".repeat(200) },
      { taken_at: "yesterday" },
      { taken_at: 5 },
      { origin: "" },
      { part: "other" },
      { more: 1 },
      { text: 7 },
    ])
      expect((await send(wrong)).status).toBe(422);
    expect((await service.call("POST", "/history/import", { versions: [] })).status).toBe(422);
    const many = Array.from({ length: 501 }, () => version);
    expect((await service.call("POST", "/history/import", { versions: many })).status).toBe(422);
    const limited = await service.call<{ key: string }>("POST", "/key", {
      name: "lim",
      scope: "admin",
      hosts: ["10.0.0.0/8"],
    });
    expect((await send({}, limited.body.data.key)).status).toBe(403);
    const operator = await service.call<{ key: string }>("POST", "/key", {
      name: "op",
      scope: "operate",
      rights: ["history"],
    });
    expect((await send({}, operator.body.data.key)).status).toBe(403);
    const future = await send({ device: "__proto__", taken_at: "2999-01-01T00:00:00Z" });
    expect(future.status).toBe(200);
    const [kept] = await versions("__proto__");
    expect(Date.parse(kept?.taken_at ?? "")).toBeLessThanOrEqual(Date.now() + 1_000);
    const wrongPath = await someone.piped(["history", "import", "/nowhere"]);
    expect(wrongPath.code).not.toBe(0);
  });
});
