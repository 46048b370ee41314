/** The client pushes templates: shown for each device first, checked, saved, and as many devices as wanted. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn, type Operator } from "../terminal.ts";

const template =
  "interface Loopback{{ id }}\n description {{ (vars | default({})).site | default('none') }} {{ who }}\n";

let service: Service;
let device: SimulatedDevice;
let someone: Operator;
beforeAll(async () => {
  [service, device] = await Promise.all([startService(), simulated("cisco_ios", { hostname: "SW1" })]);
  const env = {
    PATCHBAY_CLIENT_USERNAME: device.username,
    PATCHBAY_CLIENT_PASSWORD: device.password,
    PATCHBAY_CLIENT_SECRET: device.secret,
  };
  someone = await loggedIn(service.url, adminKey, env);
  writeFileSync(join(someone.home, "lo.j2"), template);
  writeFileSync(join(someone.home, "vars.yaml"), "id: 7\nwho: ops\n");
  await service.call("POST", "/inventory/device", {
    devices: [
      ...["ber-1", "ber-2", "par-1"].map((name) => ({
        ...{ name, host: "127.0.0.1", port: device.port, platform: "cisco_ios", driver: "netmiko" },
        ...{ site: name.slice(0, 3), vars: { site: name.slice(0, 3) } },
      })),
    ],
  });
});
afterAll(() => Promise.all([service.stop(), device.stop()]));

const flags = ["--template", "lo.j2", "--vars", "vars.yaml"];
const login = () => ["--user", device.username];

test("renders for devices what a push would send to each, and sends nothing", async () => {
  const one = await someone.piped(["render", "lo.j2", "--vars", "vars.yaml", "--device", "ber-1"]);
  expect(one).toEqual({ code: 0, out: "interface Loopback7\n description ber ops\n", err: "" });
  const some = await someone.piped(["render", "lo.j2", "vars.yaml", "--host", "par-1,192.0.2.9"]);
  expect(some.out).toBe(
    "=== par-1\ninterface Loopback7\n description par ops\n=== 192.0.2.9\ninterface Loopback7\n description none ops\n",
  );
  const json = await someone.piped(["render", "lo.j2", "--var", "id=1", "--select", "site:ber", "--json"]);
  expect(json.out).toContain('"device":"ber-2","lines":["interface Loopback1"," description ber "]');
  expect(json.err).toContain("'who' is undefined");
  const folder = ["--output-dir", "rendered"];
  await someone.piped(["render", "lo.j2", "vars.yaml", "--select", "all", ...folder]);
  expect(readFileSync(join(someone.home, "rendered", "par-1.txt"), "utf8")).toContain("description par ops");
  writeFileSync(join(someone.home, "block.j2"), "{% if true %}\nvlan {{ id }}\n{% endif %}\n");
  const plain = await someone.piped(["render", "block.j2", "--var", "id=1"]);
  const ansible = await someone.piped(["render", "block.j2", "--var", "id=1", "--mode", "ansible"]);
  expect([plain.out, ansible.out]).toEqual(["\nvlan 1\n", "vlan 1\n"]);
  expect(await service.call("GET", "/job")).toMatchObject({ body: { data: [] } });
});

test("shows the rendered lines by device, pushes after a yes, checks and saves", async () => {
  const checks = ["--check", "after: show running-config contains description"];
  const run = someone.at(["push", "ber-1,par-1", ...flags, ...login(), ...checks, "--save"], {
    columns: 140,
  });
  await run.sees("description ber ops");
  await run.sees("On ber-1.");
  await run.sees("description par ops");
  await run.sees("On par-1.");
  await run.sees("It will be saved on the devices.");
  await run.sees("Dry run on ber-1:");
  await run.sees("Push to 2 devices? Type yes:");
  run.type("yes\r");
  expect(await run.ended).toBe(0);
  expect(run.text()).toContain("check after: ok");
  const { body } = await service.call<{ id: string; config: object }[]>(
    "GET",
    "/job?operation=config&dry_run=false",
  );
  expect(body.data).toHaveLength(2);
  for (const { id } of body.data) {
    const sent = (await someone.piped(["job", id, "--sent"])).out;
    expect(sent).toMatch(/description (?:ber|par) ops/);
    expect(sent).toContain("write memory");
  }
});

test("says that nothing is saved, and refuses what cannot be rendered before anything is pushed", async () => {
  const run = someone.at(["push", "--select", "all", ...flags, ...login()], { columns: 140 });
  await run.sees("It will not be saved on the devices");
  await run.sees("Type yes:");
  run.type("no\r");
  expect(await run.ended).toBe(1);
  writeFileSync(join(someone.home, "strict.j2"), "{% if vars.site == 'par' %}{{ nothing }}{% endif %}x\n");
  const strict = ["--template", "strict.j2", "--strict", ...login()];
  const refused = someone.at(["push", "--select", "all", ...strict], { columns: 140 });
  expect(await refused.ended).toBe(2);
  expect(refused.text()).toContain("cannot be rendered for 1 of 3 devices");
  expect(refused.text()).toContain("par-1: ");
});

test("pushes a template to an address, and shows a dry run of it everywhere", async () => {
  const address = [`127.0.0.1:${device.port}`, "--type", "cisco_ios"];
  const pushed = await someone.piped(["push", ...address, ...flags, "--var", "id=9", "--yes", "--json"]);
  expect(pushed).toMatchObject({ code: 0 });
  expect(pushed.out).toContain("interface Loopback9");
  const dry = await someone.piped(["push", "--select", "site:ber", ...flags, ...login(), "--dry-run"]);
  expect(dry.out).toContain("description ber ops");
  expect(dry.out).toContain("dry run: nothing was changed");
});

test.each([
  [["push", "r1", "lines.cfg", "--template", "lo.j2", "--yes"], "cannot be combined: push one of them"],
  [["push", "r1", "lines.cfg", "--vars", "vars.yaml", "--yes"], "need --template"],
  [["push", "r1", "--yes"], "and no --template"],
  [["push", "r1", "--template", "lo.j2", "--dry-run", "--save"], "there is nothing to save"],
  [["push", "r1", "--template", "lo.j2", "--driver", "paramiko", "--save", "--yes"], "paramiko has no save"],
  [["push", "-", "--template", "-", "--yes"], "cannot both come from standard input"],
  [["render", "lo.j2", "--device", "ber-1", "--host", "ber-2"], "cannot be combined"],
  [["render", "lo.j2", "--device", "none"], "none"],
  [["render", "lo.j2", "vars.yaml", "--vars", "vars.yaml"], "cannot be combined"],
])("%j is refused", async (args, says) => {
  const { code, err } = await someone.piped(args);
  expect([code, err]).toEqual([2, expect.stringContaining(says)]);
});
