/** `patchbay results` and `run --group`: the results of many devices read together. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type Fleet, startFleet } from "../fleet.ts";
import { loggedIn, type Operator } from "../terminal.ts";

let service: Service;
let fleet: Fleet;
let someone: Operator;
const login = { username: "admin", password: "device-password-1" };

beforeAll(async () => {
  [service, fleet] = await Promise.all([startService(), startFleet(5, { 5: { password: "another-one" } })]);
  const devices = fleet.devices.map(({ connection: { host, port } }, at) => ({
    ...{ name: `ber-${at + 1}`, host, port, platform: "cisco_ios", driver: "netmiko", tags: ["lab"] },
  }));
  await service.call("POST", "/inventory/device", { devices });
  someone = await loggedIn(service.url, adminKey, {
    PATCHBAY_CLIENT_USERNAME: login.username,
    PATCHBAY_CLIENT_PASSWORD: login.password,
  });
  const selected = { select: "tag:lab", connection_args: login };
  const wait = { Prefer: "wait=60" };
  const command = ["show ip interface brief", "show version"];
  await service.call("POST", "/device/bulk", { ...selected, command }, wait);
});
afterAll(() => Promise.all([service.stop(), fleet.stop()]));

const results = (...args: string[]) => someone.piped(["results", "last", ...args]);

describe("the results of a bulk", () => {
  test("are grouped by equal outputs, with the devices and the failures", async () => {
    const { code, out } = await results("--lines", "2");
    expect(code).toBe(0);
    expect(out).toMatch(/^=== show ip interface brief the same on 4 devices\nber-4, ber-3, ber-2, ber-1\n/);
    expect(out).toContain("=== show version only on 1 device\nber-4\n");
    expect(out).toMatch(/… \d+ more lines/);
    expect(out).toMatch(/=== AuthenticationFailed on 1 device\nber-5\nAuthentication failed/);
    const { groups } = JSON.parse((await results("--command", "show version", "--json")).out);
    expect(groups).toHaveLength(4);
    const some = JSON.parse((await results("--contains", "SW002 UPTIME", "--json")).out);
    expect(some.groups).toMatchObject([{ count: 1, devices: [{ device: "ber-2" }] }]);
  });

  test("are searched line by line", async () => {
    const found = await results("--grep", "^sw00[12] uptime", "--command", "show version");
    expect(found.code).toBe(0);
    const lines = found.out.trim().split("\n").sort();
    expect(lines.map((line) => line.replace(/uptime.*/, "uptime"))).toEqual([
      ...["ber-1: sw001 uptime", "ber-2: sw002 uptime"],
    ]);
    expect((await results("--grep", "SW00[12] UPTIME", "--ignore-case")).out).toContain(
      "ber-2: show version: ",
    );
    expect(await results("--grep", "nothing like it")).toMatchObject({ code: 1, out: "" });
    expect((await results("--grep", "(")).code).toBe(2);
  });

  test("of two devices are compared", async () => {
    const { code, out } = await results("--diff", "ber-1", "ber-2");
    expect(code).toBe(1);
    expect(out).toMatch(
      /^--- ber-1 \(127\.77\.0\.1\): show version\n\+\+\+ ber-2 \(127\.77\.0\.2\): show version\n@@/,
    );
    expect(out).toMatch(/^-sw001 uptime.*\n\+sw002 uptime/m);
    const equal = await results("--diff", "ber-1", "ber-2", "--command", "show ip interface brief");
    expect(equal).toMatchObject({ code: 0, out: "" });
    expect(equal.err).toContain("The outputs are equal.");
    expect((await results("--diff", "ber-1", "ber-5")).err).toContain("There is no output of ber-5: Auth");
    expect((await results("--diff", "ber-1")).err).toContain("--diff needs two devices");
    expect((await results("--diff", "ber-1", "ber-9")).err).toContain("ber-9 is no device of this bulk");
  });
});

test("`run --group` prints equal outputs once, and parsed ones are a table", async () => {
  const args = [
    "run",
    "--select",
    "tag:lab and not name:ber-5",
    "--user",
    "admin",
    "--parse",
    "textfsm",
    "--group",
  ];
  const run = await someone.piped([...args, "--", "show", "ip", "interface", "brief"]);
  expect(run.err).toContain("4 devices: 4 finished");
  expect(run.out.match(/the same on 4 devices/g)).toHaveLength(1);
  expect(run.code).toBe(0);
  const table = await results("--table");
  expect(table.out).toMatch(/^device +host +interface +/);
  expect(table.out).toMatch(/^ber-2 +127\.77\.0\.2 +GigabitEthernet/m);
  const csv = await results("--table", "--csv");
  expect(csv.out).toMatch(/^device,host,interface,/);
  const [first = ""] = (await results("--table", "--json")).out.split("\n");
  expect(JSON.parse(first)).toMatchObject({ device: "ber-4", host: "127.77.0.4" });
});
