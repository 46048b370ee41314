/** The driver gnmi on a device written from the protocol's description: queries, pushes, and pushes that are undone. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type GnmiDevice, startGnmiDevice } from "../../../src/testkit/simulator/servers/gnmi/device.ts";
import { taskContext as context } from "../../plugin/context.ts";
import { expiredCertificate, selfSigned } from "../../support/certificates.ts";
import { type Opened, openOn } from "./open.ts";

let device: GnmiDevice;
let driver: Opened;
beforeEach(async () => {
  device = await startGnmiDevice({ hostname: "gn-1" });
  driver = await openOn(device.port);
});
afterEach(async () => {
  await driver.close();
  await device.stop();
});

const interfaces = "/interfaces/interface";
const eth0 = `${interfaces}[name=eth0]`;

describe("queries", () => {
  test("read values, objects, lists and what wildcards name", async () => {
    expect(await driver.one("/system/config/hostname")).toBe("gn-1");
    expect(await driver.one(`${interfaces}[name=eth1/1]/config`)).toEqual({
      ...{ name: "eth1/1", mtu: 1500, enabled: true },
    });
    expect(await driver.one(`${interfaces}[name=*]/config/mtu`)).toEqual({
      [`${eth0}/config/mtu`]: 1500,
      [`${interfaces}[name=eth1/1]/config/mtu`]: 1500,
    });
    expect(await driver.one("/", { data: "config" })).toMatchObject({
      "openconfig-system:system": { config: { hostname: "gn-1" } },
      "openconfig-interfaces:interfaces": { interface: [{ name: "eth0" }, { name: "eth1/1" }] },
    });
    expect(JSON.stringify(await driver.one("/", { data: "config" }))).not.toContain("oper-status");
    expect(await driver.one("openconfig:/state/hostname", { prefix: "/system" })).toBe("gn-1");
    expect(await driver.one("/system/config", { format: "text" })).toBe(
      '{\n  "hostname": "gn-1",\n  "domain-name": "example.net"\n}',
    );
    expect(await driver.one("/system/config/hostname", { metadata: true })).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        updates: [{ path: "/system/config/hostname", value: "gn-1" }],
      },
    ]);
  });

  test("take the encoding that is asked for, and the device's own otherwise", async () => {
    expect(await driver.one(`${eth0}/config`, { encoding: "proto" })).toEqual({
      [`${eth0}/config/name`]: "eth0",
      [`${eth0}/config/mtu`]: 1500,
      [`${eth0}/config/enabled`]: true,
    });
    expect(await driver.one("/system/config", { encoding: "json" })).toMatchObject({ hostname: "gn-1" });
    await expect(driver.one("/system", { encoding: "ascii" })).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("UNIMPLEMENTED"),
    });
    expect(device.calls.filter((call) => call === "Capabilities")).toHaveLength(0);
    await driver.one("/system/config");
    await driver.one("/system/config");
    expect(device.calls.filter((call) => call === "Capabilities")).toHaveLength(1);
  });

  test("tell what the device lacks, without stopping the others", async () => {
    const outputs = await driver.ask(["/system/none", "/system/config/hostname", `${interfaces}[name=x]`]);
    expect(outputs[0]?.error).toMatchObject({ kind: "CommandError", detail: { grpc_status: 3 } });
    expect(outputs[1]?.output).toBe("gn-1");
    expect(outputs[2]?.error).toMatchObject({ detail: { grpc_code: "NOT_FOUND", command: "Get" } });
    await expect(driver.one("/none")).rejects.toMatchObject({ kind: "CommandError" });
    await expect(driver.one(`${interfaces}[id=eth0]`)).rejects.toMatchObject({
      message: expect.stringContaining("has no key id"),
    });
    await expect(driver.one("/system", { depth: 1 })).rejects.toMatchObject({
      message: expect.stringContaining("the query capabilities says what it has"),
    });
  });

  test("tell capabilities and facts", async () => {
    expect(await driver.one("capabilities")).toMatchObject({
      version: "0.10.0",
      encodings: ["json", "json_ietf", "proto"],
      models: expect.arrayContaining([expect.objectContaining({ name: "openconfig-system" })]),
    });
    const facts = {
      ...{ hostname: "gn-1", vendor: "Patchbay", model: "SIM-1", serial: "S0001", version: "1.0" },
    };
    expect(await driver.one("facts")).toEqual(facts);
    const { hostname: _, ...rest } = facts;
    expect(await driver.facts()).toMatchObject({ prompt: "admin@gn-1", gnmi: "0.10.0", ...rest });
  });
});

describe("subscriptions", () => {
  const counters = `${eth0}/state/counters`;

  test("once: the state, leaf by leaf", async () => {
    expect(await driver.one(`${eth0}/config`, { mode: "once" })).toEqual({
      [`${eth0}/config/name`]: "eth0",
      [`${eth0}/config/mtu`]: 1500,
      [`${eth0}/config/enabled`]: true,
    });
    expect(await driver.one("/system/config/hostname", { mode: "once" })).toBe("gn-1");
  });

  test("stream: until a count of updates, each command with its own", async () => {
    const outputs = await driver.ask([`${counters}/in-octets`, `${counters}/out-octets`], {
      ...{ mode: "stream", subscription: "sample", interval: 0.02, count: 20, encoding: "proto" },
    });
    for (const { command, output } of outputs) {
      expect(output).toMatchObject({ synced: true, ended: "count" });
      const { updates } = output as { updates: { path: string; value: number }[] };
      expect(updates.length).toBeGreaterThan(5);
      expect(new Set(updates.map(({ path }) => path))).toEqual(new Set([command]));
    }
    expect(driver.seen.join("")).toContain(`${counters}/in-octets `);
  });

  test("stream: at changes, until a time", async () => {
    const other = await openOn(device.port);
    const watching = driver.one("/system/config", {
      ...{ mode: "stream", subscription: "on_change", duration: 2, updates_only: true },
    });
    await expect.poll(() => device.calls.includes("Subscribe")).toBe(true);
    await other.push({ update: { "/system/config/login-banner": "hello" } }, { diff: false });
    await other.push({ delete: ["/system/config/login-banner"] }, { diff: false });
    expect(await watching).toMatchObject({
      synced: true,
      ended: "duration",
      updates: [
        { path: "/system/config/login-banner", value: "hello" },
        { path: "/system/config/login-banner", deleted: true },
      ],
    });
    await other.close();
  });

  test("poll: as often as asked", async () => {
    const polls = await driver.one("/system/config/hostname", { mode: "poll", count: 3, interval: 0.02 });
    expect(polls).toEqual(["gn-1", "gn-1", "gn-1"]);
  });

  test("a refused one tells why", async () => {
    await expect(
      driver.one("/system", { mode: "stream", subscription: "sample", interval: 0.001 }),
    ).rejects.toMatchObject({ message: expect.stringContaining("the interval is too short") });
  });
});

describe("pushes", () => {
  test("delete, replace and update in one request, as a whole or not at all", async () => {
    const done = await driver.push({
      delete: [`${interfaces}[name=eth1/1]`],
      replace: { [`${eth0}/config`]: { name: "eth0", mtu: 9000 } },
      update: { "/system/config": { "domain-name": "lab.example" } },
    });
    expect(done.results).toEqual([
      { operation: "delete", path: `${interfaces}[name=eth1/1]` },
      { operation: "replace", path: `${eth0}/config` },
      { operation: "update", path: "/system/config" },
    ]);
    expect(done.diff).toContain('-  "enabled": true');
    expect(done.diff).toContain('+  "mtu": 9000');
    expect(done.diff).toContain('+  "domain-name": "lab.example"');
    expect(device.calls.filter((call) => call === "Set")).toHaveLength(1);
    const before = device.running();
    const half = driver.push({
      update: { "/system/config/hostname": "x", "/system/config/none": 1 },
      replace: [{ path: `${eth0}/config/mtu`, value: "many" }],
    });
    await expect(half).rejects.toMatchObject({ kind: "CommandError", detail: { outcome: "none" } });
    expect(device.running()).toEqual(before);
  });

  test("one value at a path, paths to delete, and the whole configuration", async () => {
    const text = await driver.one("/", { data: "config", format: "text" });
    await driver.push('{"mtu": 1400}', { operation: "update", path: `${eth0}/config` });
    await driver.push("1300", { operation: "replace", path: `${eth0}/config/mtu`, encoding: "proto" });
    expect(await driver.one(`${eth0}/config/mtu`)).toBe(1300);
    await driver.push(`${interfaces}[name=eth1/1]\n/system/config/domain-name`, { operation: "delete" });
    expect(await driver.one("/", { data: "config", format: "text" })).not.toBe(text);
    const { diff } = await driver.push(String(text), { operation: "replace" });
    expect(diff).toContain("eth1/1");
    expect(await driver.one("/", { data: "config", format: "text" })).toBe(text);
  });

  test("what is wrong is refused before anything is sent", async () => {
    const refused = { kind: "DriverError", detail: { outcome: "none" } };
    for (const [config, args] of [
      ["{}", {}],
      ["no json", {}],
      ['{"merge": {}}', {}],
      ['{"update": {"system": 1, "/a[": 2}}', {}],
      ['{"delete": 5}', {}],
      ['{"update": [{"path": "/a"}]}', {}],
      ["", { operation: "delete" }],
      ['{"a": 1}', { operation: "update", path: "/system", encoding: "proto" }],
      ['{"update": {}}', { confirm: "x" }],
    ] as const)
      await expect(driver.push(config, args), config).rejects.toMatchObject(refused);
    expect(device.calls).not.toContain("Set");
  });

  test("wait in the device for their confirmation, are confirmed and cancelled", async () => {
    const config = { update: { "/system/config/hostname": "waits" } };
    const { handle } = await driver.push(config, { revert_in: 600 });
    expect(device.pending()).toBe(handle);
    await expect(driver.push(config)).rejects.toMatchObject({ detail: { grpc_code: "FAILED_PRECONDITION" } });
    await expect(driver.push({}, { confirm: "patchbay-other" })).rejects.toMatchObject({
      kind: "CommandError",
    });
    await driver.push({}, { confirm: handle });
    expect(device.pending()).toBeUndefined();
    const again = await driver.push({ update: { "/system/config/hostname": "gone" } }, { revert_in: 600 });
    await driver.push({}, { cancel: again.handle });
    expect(await driver.one("/system/config/hostname")).toBe("waits");
    await driver.push({ update: { "/system/config/hostname": "late" } }, { revert_in: 1 });
    await expect.poll(() => driver.one("/system/config/hostname"), { timeout: 10_000 }).toBe("waits");
  });
});

const hold = { seconds: 300, fingerprint: (text: string) => String(Bun.hash(text)) };
const edits = {
  delete: [`${interfaces}[name=eth1/1]`, "/system/config/domain-name"],
  replace: { [`${eth0}/config/mtu`]: 9000 },
  update: { "/system/config/login-banner": "new", [`${interfaces}[name=lo]`]: { config: { name: "lo" } } },
};

describe.each([true, false])("a push that is undone, commit-confirmed: %s", (commits) => {
  beforeEach(async () => {
    await driver.close();
    await device.stop();
    device = await startGnmiDevice({ hostname: "gn-1", commits });
    driver = await openOn(device.port);
  });

  test("leaves everything as it was", async () => {
    const before = await driver.one("/", { data: "config" });
    const pushed = await driver.change(edits);
    expect(pushed.how).toBe(commits ? "confirmed_commit" : "replace");
    expect(pushed.revertsAt !== undefined).toBe(commits);
    expect(await driver.one("/", { data: "config" })).not.toEqual(before);
    await pushed.undo(context());
    expect(await driver.one("/", { data: "config" })).toEqual(before);
    const kept = await driver.change(edits);
    await kept.confirm(context());
    expect(device.pending()).toBeUndefined();
    expect(await driver.one("/system/config/login-banner")).toBe("new");
  });

  test("is left open only where the device has the timer", async () => {
    const pushed = await driver.change(edits, {}, hold);
    expect(pushed.open !== undefined).toBe(commits);
    if (pushed.open === undefined) return;
    const other = await openOn(device.port);
    const open = await other.reopen(pushed.open, hold);
    expect(open.running).toBe("pushed");
    await open.extend?.(900, context());
    await open.undo(context());
    expect((await other.reopen(pushed.open, hold)).running).toBe("before");
    await other.close();
  });
});

test("the login, TLS and its failures are told with what to do", async () => {
  await expect(
    openOn(device.port, { password: "wrong" }).then((one) => one.one("capabilities")),
  ).rejects.toMatchObject({
    kind: "AuthenticationFailed",
    message: expect.stringContaining("Check username and password."),
  });
  await expect(openOn(device.port, { password: "pässword" })).rejects.toMatchObject({
    message: expect.stringContaining("printable ASCII"),
  });
  await expect(openOn(device.port, { transport: "tls" })).rejects.toMatchObject({
    message: expect.stringContaining('connection_args.transport to "insecure"'),
  });
  const own = await selfSigned();
  const client = await selfSigned("ops");
  const { writeFileSync } = await import("node:fs");
  const keyOf = (certFile: string, key: string) => {
    const path = `${certFile}.key`;
    writeFileSync(path, key);
    return path;
  };
  const secured = await startGnmiDevice({ tls: { ...own, ca: client.cert } });
  const login = {
    ...{ transport: "tls", ca_file: own.certFile, client_cert_file: client.certFile },
    client_key_file: keyOf(client.certFile, client.key),
  };
  const opened = await openOn(secured.port, login);
  expect(await opened.one("/system/config/hostname")).toBe("R1");
  await opened.close();
  await expect(openOn(secured.port, { transport: "tls" })).rejects.toMatchObject({
    message: expect.stringMatching(/CA that is not known.*ca_file/),
  });
  await expect(openOn(secured.port, { transport: "tls", ca_file: own.certFile })).rejects.toMatchObject({
    message: expect.stringContaining("client_cert_file"),
  });
  await secured.stop();
  const old = await expiredCertificate();
  const late = await startGnmiDevice({ tls: old });
  await expect(openOn(late.port, { transport: "tls", ca_file: old.certFile })).rejects.toMatchObject({
    message: expect.stringContaining("not valid now"),
  });
  await late.stop();
});
