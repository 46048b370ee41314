/** The driver restconf on a strict double written from RFC 8040: reads, edits, operations, what is taken back. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import plugin from "../../../plugins/drivers/restconf/plugin.ts";
import { type RestconfDevice, startRestconfDevice } from "../../../src/testkit/simulator/servers/restconf.ts";
import { taskContext } from "../../plugin/context.ts";
import { selfSigned } from "../../support/certificates.ts";
import { type Opened, openOn } from "./open.ts";

const eth = (name: string, more: object = {}) => ({ name, type: "iana-if-type:ethernetCsmacd", ...more });
const interfaces = "ietf-interfaces:interfaces";
const entry = (name: string, more: object = {}) => ({ "ietf-interfaces:interface": [eth(name, more)] });

let device: RestconfDevice;
let driver: Opened;
beforeEach(async () => {
  device = await startRestconfDevice();
  driver = await openOn(device.port);
  return async () => {
    await driver.close();
    await device.stop();
  };
});

describe("a query", () => {
  test("reads a resource by any form of its path, and keys as they are written in paths", async () => {
    const one = {
      "ietf-interfaces:interface": [expect.objectContaining({ name: "eth1/1", enabled: false })],
    };
    for (const path of [
      `${interfaces}/interface=eth1%2F1`,
      `/data/${interfaces}/interface=eth1%2F1`,
      `/restconf/data/${interfaces}/interface=eth1%2F1/`,
    ])
      expect(await driver.one(path), path).toEqual(one);
    expect(device.requests.filter((one) => one.includes("host-meta"))).toHaveLength(1);
    expect(await driver.one("operations")).toMatchObject({
      "ietf-restconf:operations": { "ietf-system:system-restart": [null] },
    });
    expect(await driver.one("root")).toBe("/restconf");
    expect(await driver.one("capabilities")).toContain("urn:ietf:params:restconf:capability:fields:1.0");
  });

  test("has what RFC 8040 has for parts: content, depth, fields, defaults", async () => {
    const path = `${interfaces}/interface=eth0`;
    const first = async (args: object) => {
      const found = JSON.stringify(await driver.one(path, { ...args }));
      return found.replace(/^\{"ietf-interfaces:interface":\[(.*)\]\}$/, "$1");
    };
    expect(await first({ content: "config" })).toBe(
      '{"name":"eth0","description":"uplink","type":"iana-if-type:ethernetCsmacd"}',
    );
    expect(await first({ content: "nonconfig" })).toBe('{"name":"eth0","oper-status":"up","if-index":1}');
    expect(await first({ fields: "name;oper-status" })).toBe('{"name":"eth0","oper-status":"up"}');
    expect(await first({ content: "config", with_defaults: "report-all" })).toContain('"enabled":true');
    expect(await driver.one("ietf-system:system-state", { depth: 1 })).toEqual({
      "ietf-system:system-state": { platform: {} },
    });
    expect(await driver.one(interfaces, { fields: "interface(name)" })).toEqual({
      "ietf-interfaces:interfaces": { interface: [{ name: "eth0" }, { name: "eth1/1" }] },
    });
  });

  test("returns XML, text, and the entity tag where it is asked for", async () => {
    const xml = await driver.one("ietf-system:system", { encoding: "xml", content: "config" });
    expect(xml).toContain("<hostname>R1</hostname>");
    expect(xml).toContain('xmlns="urn:ietf:params:xml:ns:yang:ietf-system"');
    const text = await driver.one("data", { format: "text", content: "config" });
    expect(text).toContain('  "ietf-restconf:data": {\n');
    expect(await driver.one("ietf-system:system/hostname", { metadata: true })).toEqual({
      etag: '"00000001"',
      last_modified: expect.stringContaining("GMT"),
      data: { "ietf-system:hostname": "R1" },
    });
  });

  test("tells what the server says of an error, and goes on with the others", async () => {
    const [good, bad] = await driver.ask(["ietf-system:system/hostname", "ietf-system:nothing"]);
    expect(good?.error).toBeUndefined();
    expect(bad?.error).toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining('unknown-element: There is no "ietf-system:nothing" here'),
      detail: { status: 400, errors: [{ tag: "unknown-element" }] },
    });
    await expect(driver.one(`${interfaces}/interface=none`, { encoding: "xml" })).rejects.toMatchObject({
      kind: "CommandError",
      detail: { status: 404, errors: [{ message: "There is no such resource." }] },
    });
  });

  test("carries no edit, and stays below the root", async () => {
    const seen = device.requests.length;
    for (const path of [
      ...["/restconf/data/../../reload", "data/%2e%2E/x:y", "/reload", "/level/15/exec/-/reload/CR"],
      ...["data/x:y?method=DELETE", "data/x:y#z", "data/x:y z", "data/x:y\\z", "data//x:y", "data/x:y%"],
      ...["operations/ietf-system:system-restart", "http://192.0.2.1/restconf/data", "//192.0.2.1/x:y"],
    ])
      await expect(driver.one(path), path).rejects.toMatchObject({ detail: { outcome: "none" } });
    expect(device.requests).toHaveLength(seen);
    expect(plugin.check?.(["data/x:y?z", "no-module"], {})).toHaveLength(2);
    expect(plugin.check?.(["facts"], { depth: 2 })).toEqual([
      expect.objectContaining({ path: "driver_args.depth" }),
    ]);
    await driver.ask([interfaces, "facts", "capabilities"]);
    expect(device.requests.every((one) => one.startsWith("GET "))).toBe(true);
  });
});

describe("a push", () => {
  test("merges, replaces, creates and deletes, and tells what has changed", async () => {
    const merged = await driver.push(entry("eth0", { description: "core" }), {
      path: `${interfaces}/interface=eth0`,
    });
    expect(merged).toMatchObject({ status: 204, etag: '"00000002"' });
    expect(merged.diff).toContain('+      "description": "core",');
    expect(driver.differences).toEqual([merged.diff]);
    const created = await driver.push(entry("eth2/0"), { method: "post", path: interfaces });
    expect(created).toMatchObject({
      status: 201,
      location: `data/${interfaces}/ietf-interfaces:interface=eth2%2F0`,
    });
    const replaced = await driver.push(entry("eth0"), {
      method: "put",
      path: `${interfaces}/interface=eth0`,
    });
    expect(replaced.diff).toContain('-      "description": "core",');
    const gone = await driver.push(`${interfaces}/interface=eth1%2F1\n${interfaces}/interface=eth2%2F0\n`, {
      method: "delete",
    });
    expect(gone.status).toBe(204);
    expect(device.running()[interfaces]).toEqual({ interface: [eth("eth0")] });
  });

  test("takes XML, a YANG Patch and operations, with their media types", async () => {
    const xml =
      '<interfaces xmlns="urn:ietf:params:xml:ns:yang:ietf-interfaces"><interface><name>eth0</name><description>x &lt; y</description><type>iana-if-type:other</type></interface></interfaces>';
    expect((await driver.push(xml, { path: interfaces })).diff).toContain(
      "+    <description>x &lt; y</description>",
    );
    const edit = (id: string, operation: string, target: string, value?: object) => ({
      ...{ "edit-id": id, operation, target },
      ...(value === undefined ? {} : { value }),
    });
    const patch = (...edits: object[]) => ({
      "ietf-yang-patch:yang-patch": { "patch-id": "p", edit: edits },
    });
    const done = await driver.push(
      patch(
        edit("1", "create", "/interface=eth9", entry("eth9")),
        edit("2", "delete", "/interface=eth1%2F1"),
      ),
      { path: interfaces },
    );
    expect(done.output).toEqual({ "ietf-yang-patch:yang-patch-status": { "patch-id": "p", ok: [null] } });
    await expect(
      driver.push(patch(edit("a", "remove", "/interface=eth0"), edit("b", "delete", "/interface=none")), {
        path: interfaces,
      }),
    ).rejects.toMatchObject({
      message: expect.stringContaining("data-missing: There is no such resource (edit b, at"),
      detail: { outcome: "none" },
    });
    expect(JSON.stringify(device.running())).toContain("eth0");
    expect(await driver.push({}, { path: "operations/ietf-system:system-restart" })).toEqual({ status: 204 });
    await expect(
      driver.push({}, { path: "operations/ietf-system:set-current-datetime" }),
    ).rejects.toMatchObject({
      message: expect.stringContaining("at /ietf-system:set-current-datetime/input"),
    });
  });

  test("with if_match changes nothing that has changed since", async () => {
    const path = "ietf-system:system";
    const read = await driver.one(path, { metadata: true });
    const if_match = JSON.parse(JSON.stringify(read)).etag;
    const system = (contact: string) => ({ "ietf-system:system": { contact } });
    expect((await driver.push(system("first"), { path, if_match })).status).toBe(204);
    await expect(driver.push(system("second"), { path, if_match })).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("has changed since"),
      detail: { status: 412, outcome: "none" },
    });
    expect(device.running()[path]).toMatchObject({ contact: "first" });
  });

  test("places an entry in a list of its user", async () => {
    const path = "ietf-system:system/dns-resolver";
    const server = (name: string) => ({
      "ietf-system:server": [{ name, "udp-and-tcp": { address: "192.0.2.1" } }],
    });
    await driver.push(
      { "ietf-system:system": { "dns-resolver": { search: ["x"] } } },
      { path: "ietf-system:system" },
    );
    await driver.push(server("a"), { path, method: "post" });
    await driver.push(server("c"), { path, method: "post" });
    const point = "/ietf-system:system/dns-resolver/server=a";
    await driver.push(server("b"), { path, method: "post", insert: "after", point });
    expect(
      JSON.stringify(device.running())
        .match(/"name":"[abc]"/g)
        ?.join(),
    ).toBe('"name":"a","name":"b","name":"c"');
  });

  test("that is refused has its path and its reason, and did nothing", async () => {
    for (const [config, args, words] of [
      [
        { "ietf-system:system": { hostname: 7 } },
        { path: "ietf-system:system" },
        "/ietf-system:system/hostname",
      ],
      [entry("eth0"), { method: "post", path: interfaces }, "data-exists"],
      [entry("eth0"), { method: "put", path: `${interfaces}/interface=eth7` }, "keys of the body"],
      [
        { "ietf-interfaces:interface": [{ name: "q" }] },
        { method: "post", path: interfaces },
        "type is missing",
      ],
      ["ietf-system:system-state", { method: "delete" }, "It is state"],
      [entry("eth5"), { path: `${interfaces}/interface=eth5` }, "no such resource"],
    ] as const)
      await expect(driver.push(config, args), words).rejects.toMatchObject({
        kind: "CommandError",
        message: expect.stringContaining(words),
        detail: { outcome: "none" },
      });
    expect(device.running()).toMatchObject({ "ietf-system:system": { hostname: "R1" } });
    const seen = device.bodies.length;
    for (const [config, args] of [
      ["data", { method: "delete" }],
      ["text", {}],
      ["[1]", {}],
      [{}, { path: "../x" }],
      [{}, { path: "operations/x:y", method: "put" }],
      [{}, { path: "operations" }],
    ] as const)
      await expect(driver.push(config, args), String(config)).rejects.toMatchObject({
        kind: "DriverError",
        detail: { outcome: "none" },
      });
    expect(device.bodies).toHaveLength(seen);
  });
});

describe("a push that is taken back", () => {
  const cases = [
    ["a merge", entry("eth0", { description: "bad" }), { path: `${interfaces}/interface=eth0` }],
    [
      "a replacement",
      { "ietf-system:system": { hostname: "bad" } },
      { method: "put", path: "ietf-system:system" },
    ],
    ["an entry that was new", entry("new"), { method: "put", path: `${interfaces}/interface=new` }],
    ["a creation", entry("new/1"), { method: "post", path: interfaces }],
    ["a removal", `${interfaces}/interface=eth1%2F1\nietf-system:system/contact`, { method: "delete" }],
    ["the whole", { "ietf-restconf:data": { "ietf-system:system": { hostname: "b" } } }, { method: "put" }],
  ] as const;
  test.each(cases)("leaves what was there: %s", async (_, config, args) => {
    const before = JSON.stringify(await driver.one("data", { content: "config" }));
    const change = await driver.change(config, args);
    expect(JSON.stringify(await driver.one("data", { content: "config" }))).not.toBe(before);
    await change.undo(taskContext());
    expect(sorted(await driver.one("data", { content: "config" }))).toEqual(sorted(JSON.parse(before)));
  });

  test("is not if somebody else has changed it since, who is told; what others changed elsewhere stays", async () => {
    const path = `${interfaces}/interface=eth0`;
    const change = await driver.change(entry("eth0", { description: "bad" }), { path });
    await driver.push(entry("eth0", { description: "theirs" }), { path });
    await expect(change.undo(taskContext())).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("Somebody else has changed"),
      detail: { outcome: "unknown", output: expect.stringContaining("theirs") },
    });
    expect(JSON.stringify(await driver.one(path))).toContain("theirs");

    const created = await driver.change(entry("new/1"), { method: "post", path: interfaces });
    await driver.push(entry("beside"), { method: "put", path: `${interfaces}/interface=beside` });
    await created.undo(taskContext());
    const left = JSON.stringify(await driver.one(interfaces));
    expect(left).toContain("beside");
    expect(left).not.toContain("new/1");
  });

  test("is not overwritten in between either: it is put back under its tag", async () => {
    const path = `${interfaces}/interface=eth0`;
    const change = await driver.change(entry("eth0", { description: "bad" }), { path });
    const seen = device.requests.length;
    device.meet(async (request) => {
      if (request.startsWith("PUT")) {
        device.meet(undefined);
        await driver.push(entry("eth0", { description: "theirs" }), { path });
      }
    });
    await expect(change.undo(taskContext())).rejects.toMatchObject({ kind: "CommandError" });
    expect(device.requests.length).toBeGreaterThan(seen);
    expect(JSON.stringify(await driver.one(path))).toContain("theirs");
  });

  test("says so if it could not be put back, and an operation is refused before it is called", async () => {
    const change = await driver.change(entry("eth0", { description: "bad" }), {
      path: `${interfaces}/interface=eth0`,
    });
    await driver.push(`${interfaces}`, { method: "delete" });
    await device.stop();
    await expect(change.undo(taskContext())).rejects.toMatchObject({
      kind: expect.stringMatching(/^Connection/),
    });
    device = await startRestconfDevice();
    await expect(driver.change({}, { path: "operations/ietf-system:system-restart" })).rejects.toMatchObject({
      detail: { outcome: "none" },
    });
    expect(plugin.undo?.({}, { path: "/restconf/operations/x:y" }, () => undefined)).toBeUndefined();
    expect(plugin.undo?.({}, { path: "a:b/operations/x" }, () => undefined)).toBe("replace");
  });
});

/** Entries of lists by their names: one that was removed comes back at the end. */
function sorted(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    Array.isArray(member) ? member.map((one) => JSON.stringify(one)).sort() : member,
  );
}

describe("a connection", () => {
  test("finds the root, and tells facts", async () => {
    const other = await startRestconfDevice({ root: "/top/rc", hostname: "edge-7" });
    const opened = await openOn(other.port);
    expect(await opened.facts()).toMatchObject({
      ...{ prompt: "admin@edge-7", root: "/top/rc", yang_library: "2016-06-21" },
      ...{ os: "Patchbay simulator", version: "1.0", model: "virtual" },
    });
    expect(await opened.one("/top/rc/data/ietf-system:system/hostname")).toEqual({
      "ietf-system:hostname": "edge-7",
    });
    const given = await openOn(other.port, { root: "/top/rc/" });
    expect(await given.one("root")).toBe("/top/rc");
    for (const one of [opened, given]) await one.close();
    await other.stop();
  });

  test("with a wrong password fails as a login, whatever is asked", async () => {
    const wrong = await openOn(device.port, { password: "wrong" });
    await expect(wrong.one("data")).rejects.toMatchObject({ kind: "AuthenticationFailed" });
    await expect(wrong.facts()).rejects.toMatchObject({ kind: "AuthenticationFailed" });
    await expect(wrong.push(entry("x"), { path: interfaces })).rejects.toMatchObject({
      kind: "AuthenticationFailed",
      detail: { outcome: "none" },
    });
    await wrong.close();
  });

  describe("over TLS", () => {
    let server: Awaited<ReturnType<typeof selfSigned>>;
    let client: Awaited<ReturnType<typeof selfSigned>>;
    let secure: RestconfDevice;
    beforeAll(async () => {
      [server, client] = await Promise.all([selfSigned("device"), selfSigned("client", "client.test")]);
      secure = await startRestconfDevice({ tls: { cert: server.cert, key: server.key, ca: client.cert } });
    });
    afterAll(() => secure.stop());
    const https = { transport: "https" };

    test("verifies by default, says what to do, and presents its certificate", async () => {
      await expect(openOn(secure.port, https)).rejects.toMatchObject({
        kind: "HostUnreachable",
        message: expect.stringContaining("connection_args.ca_file"),
        detail: { outcome: "none" },
      });
      const files = {
        client_cert_file: client.certFile,
        client_key_file: client.certFile.replace(/crt$/, "key"),
      };
      const opened = await openOn(secure.port, { ...https, ca_file: server.certFile, ...files });
      expect(await opened.one("ietf-system:system/hostname")).toEqual({ "ietf-system:hostname": "R1" });
      await opened.close();
      await expect(openOn(secure.port, { ...https, verify: false })).rejects.toThrow();
    });
  });
});
