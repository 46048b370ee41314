/** The client and the inventory: set, select, show, export and import devices; run and push by selector. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { loggedIn, type Operator } from "../terminal.ts";

/** Answers every command. */
const driver = `
import { defineDriver, v } from "patchbay/plugin";
export default defineDriver({
  name: "echoing", strategy: "fifo", target: ({ host }) => ({ host, port: 1 }),
  connection: v.object({ host: v.string(), timeout: v.optional(v.number()) }),
  query: v.object({}), configure: v.object({ dry_run: v.optional(v.boolean()) }), repeatable: () => true,
  async open({ connection: { host } }) {
    return {
      async query(command) { return command + " of " + host; },
      async configure(lines, { dry_run }) { return (dry_run ? "would push " : "pushed ") + lines.join() + " to " + host; },
    };
  },
});`;

const folder = tempFolder();
let service: Service;
let someone: Operator;
beforeAll(async () => {
  writeFileSync(join(folder, "echoing.mjs"), driver);
  service = await startService({ plugins: [folder] });
  someone = await loggedIn(service.url, adminKey);
});
afterAll(() => service.stop());

async function good(...args: string[]): Promise<string> {
  const { code, out, err } = await someone.piped(args);
  expect([args, code, code === 0 ? "" : err]).toEqual([args, 0, ""]);
  return out + err;
}

test("sets, imports, selects, runs on, pushes to and exports devices", async () => {
  expect(await good("inventory", "set", "lab", "driver=echoing", "vars.ntp=10.0.0.9", "--group")).toContain(
    "1 added",
  );
  writeFileSync(
    join(someone.home, "more.csv"),
    "name,host,group,site\nr2,192.0.2.2,lab,berlin\nr3,192.0.2.3,lab,paris\n",
  );
  expect(await good("inventory", "import", join(someone.home, "more.csv"), "--dry-run")).toContain(
    "added device r2",
  );
  expect(await good("inventory", "import", join(someone.home, "more.csv"), "--yes")).toContain("2 added");
  const set = ["host=192.0.2.1", "group=lab", "site=berlin", "tags=a,b", "connection.timeout=9"];
  expect(await good("inventory", "set", "r1", ...set)).toContain("1 added");
  const shown = await good("inventory", "show", "r1");
  expect(shown).toMatch(/driver +echoing {2}\(group:lab\)/);
  expect(shown).toMatch(/tags +\["a","b"\] {2}\(a device, b device\)/);
  expect(shown).toContain('vars       {"ntp":"10.0.0.9"}  (ntp group:lab)');
  expect(shown).not.toContain("null");
  expect(await good("inventory", "select", "site:berlin and not tag:a", "--csv")).toMatch(
    /^name,[^\n]*\nr2,192\.0\.2\.2,echoing,[^\n]*\n$/,
  );
  const run = await good("run", "--select", "site:berlin", "--json", "--", "show", "clock");
  expect(run).toContain("show clock of 192.0.2.1");
  expect(run).toContain("show clock of 192.0.2.2");
  expect(run).not.toContain("192.0.2.3");
  writeFileSync(join(someone.home, "ntp.cfg"), "ntp server 192.0.2.53\n");
  const pushed = await good("push", "--select", "name:r3", join(someone.home, "ntp.cfg"), "--yes", "--json");
  expect(pushed).toContain("pushed ntp server 192.0.2.53 to 192.0.2.3");
  expect(await good("jobs")).toMatch(/^\S+ +finished +r3 +192\.0\.2\.3 /m);
  const dry = await good("push", "--select", "name:r3", join(someone.home, "ntp.cfg"), "--dry-run", "--json");
  expect(dry).toContain("would push");
  expect(await good("inventory", "remove", "r3", "--yes")).toContain("r3 is removed");
  const exported = await good("inventory", "export", "--format", "csv");
  expect(exported).toContain("192.0.2.2");
  expect(exported).not.toContain("192.0.2.3");
});

test("a first CSV creates its groups, and the changes show types and order", async () => {
  const file = join(someone.home, "first.csv");
  writeFileSync(file, 'name;host;group;vars\nf1;192.0.2.31;new;"{""v"":9.0,""l"":{""20"":1,""10"":2}}"\n');
  expect(await good("inventory", "import", file, "--dry-run", "--create-groups")).toContain(
    "added group new",
  );
  expect(await good("inventory", "import", file, "--yes", "--create-groups")).toContain("2 added");
  expect(await good("inventory", "show", "f1", "--json")).toContain('"vars":{"v":9.0,"l":{"20":1,"10":2}}');
  writeFileSync(file, 'name;vars\nf1;"{""v"":9}"\n');
  expect(await good("inventory", "import", file, "--dry-run")).toContain("vars.v 9.0 -> 9");
});

test("a host that is a device's name is that device, and results show its name first", async () => {
  await good("inventory", "set", "ber-1", "host=192.0.2.71", "driver=echoing");
  expect(await good("run", "ber-1", "--", "show version")).toMatch(
    /=== ber-1 \(192\.0\.2\.71\) finished[\s\S]*show version of 192\.0\.2\.71/,
  );
  expect(await good("run", "ber-1", "--csv", "--", "show clock")).toMatch(
    /^device,host,[^\n]*\nber-1,192\.0\.2\.71,/,
  );
  expect(await good("jobs", "--host", "ber-1", "--csv")).toMatch(/192\.0\.2\.71[\s\S]*192\.0\.2\.71/);
  expect(await good("audit", "--host", "BER-1", "--csv")).toContain("192.0.2.71");
  writeFileSync(join(someone.home, "line.txt"), "hostname x\n");
  expect(await good("push", "ber-1", join(someone.home, "line.txt"), "--yes")).toContain(
    "pushed hostname x to 192.0.2.71",
  );
  const posted = await fetch(`${service.url}/device/execute`, {
    method: "POST",
    headers: { "X-API-KEY": adminKey, "Content-Type": "application/json", Prefer: "wait=20" },
    body: JSON.stringify({ driver: "echoing", connection_args: { host: "ber-1" }, command: "show ip" }),
  });
  expect(await posted.json()).toMatchObject({
    data: { device: "ber-1", host: "192.0.2.71", result: { retval: { "show ip": "show ip of 192.0.2.71" } } },
  });
  const bulk = await fetch(`${service.url}/device/bulk`, {
    method: "POST",
    headers: { "X-API-KEY": adminKey, "Content-Type": "application/json" },
    body: JSON.stringify({
      driver: "echoing",
      devices: [{ host: "ber-1" }, { host: "ber-9" }],
      command: "x",
    }),
  });
  expect(bulk.status).toBe(200);
  const listed = await fetch(`${service.url}/job?host=ber-1&limit=1`, { headers: { "X-API-KEY": adminKey } });
  expect(await listed.json()).toMatchObject({ data: [{ device: "ber-1", host: "192.0.2.71" }] });
});

test("an Ansible import reads the variable files beside it and reports what it omits", async () => {
  const at = join(someone.home, "net");
  mkdirSync(join(at, "group_vars/campus"), { recursive: true });
  mkdirSync(join(at, "host_vars"));
  writeFileSync(join(at, "hosts.ini"), "[campus]\nan1\n[campus:vars]\nntp=192.0.2.1\n");
  writeFileSync(join(at, "group_vars/campus/main.yml"), "ntp: 192.0.2.2\n");
  writeFileSync(join(at, "host_vars/an1.yml"), "rack: 7\nbanner: !vault abc\n");
  const told = await good("inventory", "import", join(at, "hosts.ini"), "--yes");
  expect(told).toContain("With 2 files of group_vars and host_vars beside it.");
  expect(told).toContain("warning: banner was omitted: it is encrypted by ansible-vault");
  const shown = await good("inventory", "show", "an1");
  expect(shown).toContain('"rack":7');
  expect(shown).toContain('"ntp":"192.0.2.2"');
  expect(shown).toContain("ntp group:campus");
});

test("lists all groups, however many pages they are", async () => {
  const groups = Array.from({ length: 520 }, (_, n) => ({ name: `group-${n}` }));
  expect((await service.call("POST", "/inventory/device", { groups })).status).toBe(200);
  const listed = await good("inventory", "list", "--groups", "--csv");
  expect(listed.match(/^group-\d+,/gm)).toHaveLength(520);
});

test("rejects wrong usage before doing anything", async () => {
  const wrong: [string[], string][] = [
    [["run", "--", "show clock"], "No command was given"],
    [["run", "--select", "colour:red", "--", "show clock"], 'no field "colour"'],
    [["push", "r1", "ntp.cfg", "--select", "all", "--yes"], "cannot be combined"],
    [["run", "r1", "--limit", "3", "--", "x"], "need --select"],
    [["inventory", "set", "r9", "vars.password=x"], "is a secret"],
    [["inventory", "remove", "r1"], "--yes"],
  ];
  for (const [args, says] of wrong) {
    const { code, err } = await someone.piped(args);
    expect([args, code, err]).toEqual([args, 2, expect.stringContaining(says)]);
  }
});
