/** `patchbay history` for an operator: configurations taken from devices, their versions, and what differs. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn, type Operator, ownControls } from "../terminal.ts";

const login = { username: "admin", password: "device-password-1", secret: "enable-secret-1" };
let service: Service;
let someone: Operator;
const devices: SimulatedDevice[] = [];

beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_HISTORY_AFTER_PUSH: "0" } });
  await service.call("PUT", "/credential/lab", login);
  const credential = { name: "file", ref: "lab" };
  const list = [];
  for (const name of ["ber-1", "ber-2"]) {
    const device = await simulated("arista_eos", { ...login, hostname: name });
    devices.push(device);
    const { port } = device;
    list.push({ name, host: "127.0.0.1", port, driver: "netmiko", platform: "arista_eos", credential });
  }
  list.push({
    name: "gone",
    host: "127.0.0.1",
    port: 1,
    driver: "netmiko",
    platform: "arista_eos",
    credential,
  });
  expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
  someone = await loggedIn(service.url, adminKey);
});
afterAll(async () => {
  await service.stop();
  for (const device of devices) await device.stop();
});

const history = (...args: string[]) => someone.piped(["history", ...args]);
const describeInterface = (text: string) =>
  service.run({
    device: "ber-1",
    config: ["interface Ethernet1", "no description server 17", `description ${text}`],
  });

describe("configurations", () => {
  test("are taken, and what became of each device is told", async () => {
    const { code, out, err } = await history("take", "--select", "all", "--wait", "--note", "first look");
    expect(code).toBe(1);
    expect(out).toMatch(/^ber-1 \(127\.0\.0\.1\) running: a new version, \d+ lines$/m);
    expect(out).toMatch(/^gone \(127\.0\.0\.1\): ConnectionRefused: /m);
    expect(err).toMatch(/3 devices: 2 finished, 1 failed/);
    const again = await history("take", "ber-2", "--part", "running", "--wait");
    expect(again).toMatchObject({ code: 0, out: expect.stringMatching(/ running: unchanged, \d+ lines\n$/) });
    expect((await history("take", "ber-2")).out).toMatch(/^\S{36}\n$/);
    expect(await history("take")).toMatchObject({ code: 2, err: expect.stringContaining("--select") });
    expect(await history("take", "nowhere")).toMatchObject({
      code: 2,
      err: expect.stringContaining("nowhere"),
    });
  });

  test("are listed with their states", async () => {
    const { out } = await history("list");
    expect(out).toMatch(/^ber-1 +arista_eos +1 .* good$/m);
    expect(out).toMatch(/^gone +arista_eos +0 .* missing, failed: ConnectionRefused$/m);
    const missing = await history("list", "--state", "missing", "--json");
    expect(JSON.parse(missing.out)).toMatchObject({ device: "gone", latest: null });
    expect((await history("list", "--state", "suspect")).err).toBe("There are none.\n");
    expect(await history("list", "--state", "lost")).toMatchObject({
      code: 2,
      err: expect.stringContaining("state"),
    });
  });

  test("get a version for each change, and are printed as they are", async () => {
    const before = await history("show", "ber-1");
    await describeInterface("rack 7");
    await history("take", "ber-1", "--wait", "--note", "after CHG-7");
    const { out } = await history("versions", "ber-1");
    expect(out).toMatch(/^2 .* \+1 -1 +manual .* good +after CHG-7$/m);
    const first = await history("show", "ber-1", "1");
    expect(first).toMatchObject({ code: 0, err: "", out: before.out });
    expect(first.out).toContain("interface Ethernet1\n   description server 17\n");
    expect((await history("show", "ber-1")).out).toContain("description rack 7");
    expect(JSON.parse((await history("show", "ber-1", "--json")).out)).toMatchObject({
      version: 2,
      note: "after CHG-7",
    });
    expect(await history("show", "ber-1", "--at", "3w")).toMatchObject({
      code: 1,
      err: expect.stringContaining("ber-1 has no version that old"),
    });
    expect(await history("show", "ber-9")).toMatchObject({
      code: 1,
      err: expect.stringContaining('"ber-9"'),
    });
    expect((await history("changes", "--since", "1h")).out).toMatch(/^\S+ \S+ +ber-1 +running +2 /m);
  });
});

describe("two versions", () => {
  test("are compared, for patch in a pipe, with an exit code when asked for", async () => {
    const { code, out } = await history("diff", "ber-1");
    expect(code).toBe(0);
    expect(out).toMatch(/^--- ber-1\/running\/1\n\+\+\+ ber-1\/running\/2\n@@/);
    expect(out).toMatch(/^- {3}description server 17\n[\s\S]*^\+ {3}description rack 7\n/m);
    expect(await history("diff", "ber-1", "1", "2", "--exit-code")).toMatchObject({ code: 1, out });
    const equal = await history("diff", "ber-1", "2", "2", "--exit-code");
    expect(equal).toMatchObject({ code: 0, out: "" });
    expect(equal.err).toBe("version 2 of ber-1 (running) and version 2 of ber-1 (running) do not differ.\n");
    const side = await history("diff", "ber-1", "--side");
    expect(side.out).toMatch(/^ {3}description server 17 +<\n[\s\S]*^ +> {4}description rack 7$/m);
    const tree = await history("diff", "ber-1", "--structured");
    expect(tree).toMatchObject({
      code: 0,
      out: "  interface Ethernet1\n-   description server 17\n+   description rack 7\n",
    });
    expect((await history("diff", "ber-1", "2", "2", "--structured")).err).toContain("do not differ");
    expect(await history("diff", "ber-1", "--side", "--structured")).toMatchObject({ code: 2 });
    const other = await history("diff", "ber-1", "1", "--other", "ber-2", "--json");
    expect(JSON.parse(other.out)).toMatchObject({
      from: { device: "ber-1", version: 1 },
      to: { device: "ber-2" },
    });
  });

  test("are coloured at a terminal only", async () => {
    const shown = someone.at(["history", "diff", "ber-1"]);
    expect(await shown.ended).toBe(0);
    expect(shown.text()).toContain("\x1b[31m-   description server 17\x1b[0m");
    expect(shown.text()).toContain("\x1b[32m+   description rack 7\x1b[0m");
  });

  test("tell who wrote each line", async () => {
    const { out } = await history("blame", "ber-1");
    expect(out).toMatch(/^2 \d{4}-\d\d-\d\d \S+ +\| {4}description rack 7$/m);
    expect(out).toMatch(/^1 .* \| interface Ethernet1$/m);
    expect(JSON.parse((await history("blame", "ber-1", "1", "--json")).out)).toMatchObject({
      version: { version: 1 },
    });
  });
});

describe("lines are searched for", () => {
  test("with the lines that they belong to", async () => {
    const found = await history("search", "RACK 7");
    expect(found).toMatchObject({ code: 0, err: "" });
    const { out } = found;
    expect(out).toMatch(/^ber-1-(\d+)- interface Ethernet1\nber-1:\d+: {4}description rack 7\n$/);
    expect(
      (await history("search", "description (rack|server) 1?7", "--regex", "--select", "name:ber-2")).out,
    ).toMatch(/^ber-2-\d+- interface Ethernet1\nber-2:\d+: {4}description server 17\n$/);
    expect((await history("search", "server 17", "--ever", "--select", "name:ber-1")).out).toMatch(
      /^ber-1: version 1, taken \S+\n/,
    );
    expect((await history("search", "description", "--section", "^interface Ethernet49")).out).not.toContain(
      "rack",
    );
    expect(await history("search", "no such line")).toMatchObject({
      code: 1,
      out: "",
      err: "No line matches.\n",
    });
    expect(await history("search", "(", "--regex")).toMatchObject({
      code: 2,
      err: expect.stringContaining("regex"),
    });
  });
});

test("a text that hides control characters is inert at a terminal", async () => {
  const hostile = "\x1b]0;owned\x07 \x1b[2J";
  await history("note", "ber-2", "1", "lights \u202e out");
  const shown = someone.at(["history", "versions", "ber-2"], { columns: 200 });
  expect(await shown.ended).toBe(0);
  expect(shown.text()).toContain("lights <U+202E> out");
  expect(shown.text().replaceAll(ownControls, "")).not.toContain("\x1b");
  const refused = await history("note", "ber-2", "1", hostile);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("control characters") });
});

test("notes are written and removed, changes told, histories renamed and forgotten", async () => {
  expect((await history("note", "ber-1", "2", "checked")).err).toBe("Version 2 of ber-1 is noted.\n");
  expect((await history("versions", "ber-1")).out).toMatch(/checked$/m);
  expect((await history("note", "ber-1", "2", "")).err).toBe("Version 2 of ber-1 has no note now.\n");
  expect((await history("notify", "BER-1", "--user", "alice")).err).toBe(
    "ber-1 is read within 60 seconds.\n",
  );
  expect((await history("forget", "ber-2", "--yes")).err).toMatch(/ber-2 is in the inventory/);
  expect((await history("rename", "ber-2", "ber-1")).err).toMatch(/already/);
  await service.call("DELETE", "/inventory/device/ber-2");
  expect((await history("rename", "ber-2", "ber-old")).err).toBe(
    "The history of ber-2 is that of ber-old now.\n",
  );
  expect(await history("forget", "ber-old")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--yes"),
  });
  expect((await history("forget", "ber-old", "--yes")).err).toBe("The history of ber-old is removed.\n");
  expect((await history("versions", "ber-old")).code).toBe(1);
});

test("a key without the right is told so", async () => {
  const made = await service.call<{ key: string }>("POST", "/key", { name: "plain", scope: "read" });
  const plain = await loggedIn(service.url, made.body.data.key);
  const refused = await plain.piped(["history", "show", "ber-1"]);
  expect(refused).toMatchObject({ code: 3, out: "", err: expect.stringContaining("history") });
  const other = { name: "reader", scope: "read", rights: ["history"] };
  const reads = await service.call<{ key: string }>("POST", "/key", other);
  const reader = await loggedIn(service.url, reads.body.data.key);
  expect((await reader.piped(["history", "show", "ber-1"])).code).toBe(0);
  const secrets = await reader.piped(["history", "show", "ber-1", "--secrets"]);
  expect(secrets).toMatchObject({ code: 3, err: expect.stringContaining("history_secrets") });
  expect(await history("diff", "ber-1", "x")).toMatchObject({
    code: 1,
    err: expect.stringContaining("number"),
  });
});
