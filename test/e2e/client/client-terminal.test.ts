/** The command line client against a running service: login and contexts, jobs, templates, exit codes. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../src/testkit/port.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { binary } from "../binary.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn, type Operator, operator, ownControls } from "../terminal.ts";

let service: Service;
let device: SimulatedDevice;
let someone: Operator;
beforeAll(async () => {
  [service, device] = await Promise.all([startService(), simulated("cisco_ios", { hostname: "SW1" })]);
  someone = await loggedIn(service.url, adminKey);
});
afterAll(() => Promise.all([service.stop(), device.stop()]));

const connection = (more: object = {}) => ({
  ...device.connection,
  ...more,
});
const query = (command: string, more: object = {}) =>
  service.run({ driver: "netmiko", connection_args: connection(more), command });

describe("login", () => {
  test("asks for the key without echo and stores it for its owner only", async () => {
    const newcomer = operator();
    const run = newcomer.at(["login", service.url, "--name", "lab"]);
    await run.sees("API key of");
    run.type(`${adminKey}\r`);
    expect(await run.ended).toBe(0);
    await run.sees('The current context is "lab"');
    expect(run.text()).not.toContain(adminKey);
    const file = join(newcomer.home, ".config", "patchbay", "contexts.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ current: "lab" });
    expect((await newcomer.piped(["jobs"])).code).toBe(0);
    expect((await newcomer.piped(["context", "--json"])).out).not.toContain(adminKey);
    expect((await newcomer.piped(["logout"])).code).toBe(0);
    expect(readFileSync(file, "utf8")).not.toContain(adminKey);
  });

  test("stores nothing of a rejected key", async () => {
    const newcomer = operator();
    const file = join(newcomer.home, "key");
    writeFileSync(file, "pb_wrong\n", { mode: 0o600 });
    const done = await newcomer.piped(["login", service.url, "--key-file", file]);
    expect(done.code).toBe(3);
    expect(done.err).toContain("API key is missing or not valid");
    expect((await newcomer.piped(["context"])).err).toContain("There are none.");
  });

  test("stops at Ctrl-C", async () => {
    const newcomer = operator();
    const run = newcomer.at(["login", service.url]);
    await run.sees("API key of");
    run.type("\x03");
    expect(await run.ended).toBe(130);
  });
});

describe("jobs", () => {
  test("are listed as a table, JSON lines and CSV", async () => {
    const good = await query("show version");
    const bad = await query("show clock", { password: "wrong" });
    const table = await someone.piped(["jobs", "--limit", "2"]);
    expect(table.out).toMatch(/^id +status +host +request +created +seconds +error +by\n/);
    expect(table.out).toContain(`${bad.id}  failed    127.0.0.1  show clock`);
    const json = await someone.piped(["jobs", "--status", "failed", "--json"]);
    expect(
      json.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toContain(bad.id);
    const some = [
      "--error-type",
      "AuthenticationFailed",
      "--operation",
      "query",
      "--until",
      "2999-01-01T00:00:00Z",
    ];
    expect((await someone.piped(["jobs", ...some, "--json"])).out).toContain(bad.id);
    for (const none of [
      ["--label", "x"],
      ["--ticket", "x"],
      ["--tag", "x"],
    ])
      expect(await someone.piped(["jobs", ...none])).toMatchObject({ code: 0, out: "" });
    const csv = await someone.piped(["jobs", "--status", "finished", "--csv"]);
    expect(csv.out).toContain(`${good.id},finished,127.0.0.1,show version,`);
  });

  test("shows one with its result and exits with the status of the job", async () => {
    const good = await query("show version");
    const shown = await someone.piped(["job", good.id]);
    expect(shown.code).toBe(0);
    expect(shown.out).toContain("Cisco IOS Software");
    const bad = await query("show clock", { password: "wrong" });
    const failed = await someone.piped(["job", bad.id]);
    expect(failed.code).toBe(1);
    expect(failed.out).toContain("AuthenticationFailed: ");
    expect((await someone.piped(["job", "none"])).code).toBe(1);
  });

  test("are named by the first characters of their id, or by `last`", async () => {
    const { id } = await query("show version");
    expect((await someone.piped(["job", "last", "--json"])).out).toContain(`"id":"${id}"`);
    expect((await someone.piped(["job", id.slice(0, 30), "--json"])).out).toContain(`"id":"${id}"`);
    await query("show clock");
    const several = await someone.piped(["job", id.slice(0, 4)]);
    expect(several).toMatchObject({ code: 2, out: "" });
    expect(several.err).toContain(`  ${id}  finished  127.0.0.1  `);
    const { out } = await someone.piped(["jobs", "--since", "1h", "--until", "0s", "--json"]);
    expect(out).toContain(id);
    expect((await someone.piped(["jobs", "--until", "1h"])).err).toContain("There are none.");
  });

  test("follows one to its end and strips control sequences from its output", async () => {
    const submitted = await service.call<{ id: string }>("POST", "/device/execute", {
      driver: "netmiko",
      connection_args: connection(),
      command: ["show version", "show ip interface brief"],
    });
    const run = someone.at(["job", submitted.body.data.id, "--follow"]);
    expect(await run.ended).toBe(0);
    await run.sees("GigabitEthernet");
    expect(run.text().replace(ownControls, "")).not.toMatch(/[\x00-\x08\x0b-\x1f]/);
  });
});

test("renders a template and parses output", async () => {
  const template = join(someone.home, "vlan.j2");
  writeFileSync(template, "vlan {{ id }}\n name {{ name }}\n");
  const rendered = await someone.piped(["render", template, "-", "--set", "id=7"], "name: users\n");
  expect(rendered).toEqual({ code: 0, out: "vlan 7\n name users\n", err: "" });
  const unnamed = await someone.piped(["render", template, "--set", "id=7"]);
  expect(unnamed).toMatchObject({ code: 0, out: "vlan 7\n name \n" });
  expect(unnamed.err).toMatch(/^warning: line 2: 'name' is undefined/);
  const list = await someone.piped(["render", template, "-"], "- name: users\n");
  expect(list).toMatchObject({ code: 2, err: expect.stringContaining("must be an object") });
  const { out } = await someone.piped(["job", (await query("show version")).id, "--json"]);
  const said: string = JSON.parse(out).result.retval["show version"];
  const how = ["parse", "-", "--platform", "cisco_ios", "--command", "show version"];
  expect((await someone.piped([...how, "--json"], said)).out).toContain('"hostname":"SW1"');
  expect((await someone.piped(how, said)).out).toContain("SW1");
  const wrong = await someone.piped(["render", "-"], "{{ a b }}");
  expect(wrong.code).toBe(2);
});

test("lists workers", async () => {
  await query("show version");
  const { code, out } = await someone.piped(["workers", "--host", "127.0.0.1"]);
  expect(code).toBe(0);
  expect(out).toContain("pinned_127.0.0.1");
});

test("`patchbay audit` lists entries as JSON and as CSV", async () => {
  const { id } = await query("show version");
  const { code, out } = await someone.piped(["audit", "--action", "device", "--host", "127.0.0.1", "--json"]);
  expect(code).toBe(0);
  const entries = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(entries).toContainEqual(expect.objectContaining({ action: "device.query", job_id: id }));
  const csv = await someone.piped(["audit", "--limit", "1", "--csv"]);
  expect(csv.out.split(/\r?\n/)[0]).toBe("at,who,from,action,host,job,outcome,detail");
  expect(csv.err).toContain("There are more: --limit 10");
});

test("the compiled program is the same client", async () => {
  const env = { PATCHBAY_CLIENT_USERNAME: device.username, PATCHBAY_CLIENT_PASSWORD: device.password };
  const other = await loggedIn(service.url, adminKey, env, await binary());
  const run = other.at(["run", `127.0.0.1:${device.port}`, "--type", "cisco_ios", "--", "show", "version"]);
  expect(await run.ended).toBe(0);
  await run.sees("Cisco IOS Software");
  await run.sees("1 device: 1 finished");
  expect((await other.piped(["completion", "bash"])).out).toContain("complete -F _patchbay patchbay");
});

describe("exit codes", () => {
  test.each([
    [["jobs", "--frobnicate"], 2, "unknown option"],
    [["jobs", "--limit", "many"], 2, "--limit must be a whole number"],
    [["job"], 2, "missing required argument"],
    [["jobs", "--status", "lost"], 2, "status"],
    [["parse", "-"], 2, "No parser was given"],
    [["jobs", "--context", "none"], 2, "There is no context"],
  ])("%j: %i", async (args, code, text) => {
    const done = await someone.piped(args);
    expect(done.err).toContain(text);
    expect(done.code).toBe(code);
  });

  test("exits with 3 and names the address if there is no service", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const done = await someone.piped(["jobs", "--url", url, "--key-file", join(someone.home, "key")]);
    expect(done.err).toContain(`${url} cannot be reached`);
    expect(done.code).toBe(3);
  });
});
