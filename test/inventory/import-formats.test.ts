/** Each import format, from a tool's text to devices and groups, and error messages. */
import { describe, expect, test } from "vitest";
import { readInventory } from "./formats.ts";
import { importIssues } from "./import-issues.ts";

function fieldsOf(format: string, text: string, options = {}) {
  const { devices, groups, warnings } = readInventory(format, text, options);
  return {
    devices: devices.map(({ fields }) => fields),
    groups: groups.map(({ fields }) => fields),
    warnings,
  };
}

describe("import from CSV", () => {
  test("reads rows of devices and groups, and the types of cells", () => {
    const text = `\ufeffkind,name,parent,group,tags,port,enabled,credential,vars.vlan,vars.serial,connection.username
group,core,,,,,,,,,
,r1,,core,lab;edge,2222,no,env:core,10,007,"ad,min"
,r2,,,"[""a;b""]",,,"vault:path=net/core,field=password","{""a"":1}",'=1+1,true`;
    expect(fieldsOf("csv", text.replaceAll("\n", "\r\n"))).toEqual({
      groups: [{ name: "core" }],
      devices: [
        {
          name: "r1",
          group: "core",
          tags: ["lab", "edge"],
          port: 2222,
          enabled: false,
          credential: { name: "env", ref: "core" },
          vars: { vlan: 10, serial: "007" },
          connection: { username: "ad,min" },
        },
        {
          name: "r2",
          tags: ["a;b"],
          credential: { name: "vault", path: "net/core", field: "password" },
          vars: { vlan: { a: 1 }, serial: "=1+1" },
          connection: { username: true },
        },
      ],
      warnings: [],
    });
  });
  test("reports errors with their line, without cell contents", () => {
    expect(importIssues("csv", "name,port\nr1,22\n\nr2,geheim\nr3,22,x")).toEqual([
      { path: "line 4", message: "port: must be a number from 1 to 65535" },
      { path: "line 5", message: "the row has 3 cells, but the header has 2" },
    ]);
    expect(importIssues("csv", 'name,site\nr1,"a\nb"\nr2,"c')).toEqual([
      { path: "line 4", message: "a quote is not closed" },
    ]);
    expect(importIssues("csv", "host,port\nr1,22")).toEqual([
      { path: "line 1", message: "there is no column name" },
    ]);
    expect(importIssues("csv", "name\nr1\nR1\nr/2")).toEqual([
      { path: "line 3", message: "the device R1 already exists (line 2)" },
      { path: "line 4", message: "name: a device needs a name of letters, digits and . _ : -, at most 128" },
    ]);
    expect(JSON.stringify(importIssues("csv", "name,password\nr1,geheim"))).toContain("is not a column");
  });
});

describe("import from JSON and YAML", () => {
  test("reads devices and groups, or a list of devices", () => {
    const devices = [{ name: "r1", vars: { a: [1, "x", null] } }, { name: "r2" }];
    expect(fieldsOf("json", JSON.stringify({ groups: [{ name: "g" }], devices }))).toMatchObject({
      groups: [{ name: "g" }],
      devices,
    });
    expect(fieldsOf("json", JSON.stringify(devices)).devices).toEqual(devices);
    const yaml =
      "groups:\n  - name: g\ndevices:\n  - name: r1\n    vars: {a: [1, x, null]}\n  - {name: r2}\n";
    expect(fieldsOf("yaml", yaml)).toMatchObject({ groups: [{ name: "g" }], devices });
  });
  test("keeps the line of each device", () => {
    const at = (format: string, text: string) =>
      readInventory(format, text).devices.map((device) => device.at);
    expect(
      at("json", '{\n"devices": [\n  {"name": "a",\n "vars": {"x": [{}, {}]}},\n\n {"name": "b"}]}'),
    ).toEqual(["line 3", "line 6"]);
    expect(at("yaml", "- name: a\n  vars:\n    - 1\n- name: b\n")).toEqual(["line 1", "line 4"]);
  });
  test.each([
    ["json", '{"devices": [\n  {"name": "a"},\n]}', "line 3, column 1"],
    ["json", '{"devices": [\n  {"name": "a}]}', "line 2, column 12"],
    ["json", "[1,\n2", "line 2, column 2"],
    ["json", "", "line 1, column 1"],
    ["json", `${"[".repeat(100_000)}`, "line 1, column 65"],
    ["yaml", "devices:\n  - name: a\n   port: 1\n", "line 3, column 1"],
    ["yaml", "devices:\n  - name: a\n    name: b\n", "line 3, column 5"],
    ["yaml", "--- 1\n--- 2\n", "line 2, column 1"],
    ["yaml", "devices: *none\n", "line 1, column 10"],
    ["yaml", `${"[".repeat(100_000)}`, "line 1"],
  ] as const)("reports a %s syntax error at its position (%#)", (format, text, path) => {
    expect(importIssues(format, text)).toMatchObject([{ path }]);
  });
  test.each([
    ["yaml", "devices: &all\n  - name: r1\n    vars: {a: *all}\n"],
    ["yaml", "devices:\n  - &r1 {name: r1, vars: {a: {b: [*r1]}}}\n"],
    ["yaml", "&top [*top]\n"],
    ["ansible", "all:\n  hosts: &hosts\n    r1: {a: *hosts}\n"],
    ["ansible", JSON.stringify({ hosts: "r1\n", host_vars: { r1: "a: &a [*a]\n" } })],
    ["nornir", JSON.stringify({ hosts: "r1:\n  data: &data {a: *data}\n" })],
  ] as const)("%s: an alias within its own anchor is refused (%#)", (format, text) => {
    expect(JSON.stringify(importIssues(format, text))).toContain("an alias stands within its own anchor");
  });
  test("an anchor and its alias give both devices the same variables", () => {
    const text = "- {name: r1, vars: &vars {a: [1]}}\n- {name: r2, vars: *vars}\n";
    expect(fieldsOf("yaml", text).devices.map(({ vars }) => vars)).toEqual([{ a: [1] }, { a: [1] }]);
  });
  test("rejects a document with excessive alias expansion", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let at = 1; at < 12; at++)
      lines.push(
        `a${at}: &a${at} [${Array(9)
          .fill(`*a${at - 1}`)
          .join(", ")}]`,
      );
    expect(JSON.stringify(importIssues("yaml", lines.join("\n")))).toContain("too many alias expansions");
  });
});

describe("import from Nornir", () => {
  test("reads hosts, groups and defaults; secrets are omitted with a warning", () => {
    const hosts =
      "r1:\n  hostname: 192.0.2.1\n  groups: [core, lab]\n  password: geheim\n  data: {site: berlin, tags: [a], vlan: 10, snmp_community: x}\n";
    const groups =
      "core:\n  platform: ios\n  groups: [all]\nlab:\n  port: 2222\n  data: {ntp: 192.0.2.9}\nall: {}\n";
    const read = fieldsOf("nornir", JSON.stringify({ hosts, groups, defaults: "username: admin\n" }));
    expect(read.devices).toEqual([
      {
        name: "r1",
        group: "core",
        tags: ["a", "lab"],
        host: "192.0.2.1",
        site: "berlin",
        port: 2222,
        vars: { vlan: 10, ntp: "192.0.2.9" },
      },
    ]);
    expect(read.groups).toEqual([
      { name: "defaults", connection: { username: "admin" } },
      { name: "core", parent: "all", platform: "cisco_ios" },
      { name: "lab", parent: "defaults", port: 2222, vars: { ntp: "192.0.2.9" } },
      { name: "all", parent: "defaults" },
    ]);
    expect(read.warnings).toEqual([
      "password was omitted: it is a secret, use a credential (hosts line 1)",
      "data.snmp_community was omitted: it is a secret, use a credential (hosts line 1)",
    ]);
  });
  test("reports errors with file and line", () => {
    const hosts = "r1: {}\nr2:\n  hostnam: x\n  groups: [none]\n";
    expect(importIssues("nornir", JSON.stringify({ hosts }))).toEqual([
      { path: "hosts line 2", message: 'groups: there is no group "none"' },
      { path: "hosts line 2", message: '"hostnam" is not a field of SimpleInventory' },
    ]);
    expect(importIssues("nornir", '{"host": ""}')).toMatchObject([{ path: "host" }, { path: "hosts" }]);
  });
});

describe("import from Oxidized and NetPulse", () => {
  test("reads router.db by the map of its columns", () => {
    const read = fieldsOf("oxidized", "# all\nr1;192.0.2.1;vrp;core;bob;geheim\n", {
      delimiter: ";",
      map: "name,ip,model,group,username,password",
    });
    expect(read).toEqual({
      devices: [
        {
          name: "r1",
          host: "192.0.2.1",
          platform: "huawei_vrp",
          group: "core",
          connection: { username: "bob" },
        },
      ],
      groups: [{ name: "core" }],
      warnings: ["password was omitted: it is a secret, use a credential (line 2)"],
    });
    expect(fieldsOf("oxidized", "r1:junos\n").devices).toEqual([{ name: "r1", platform: "juniper_junos" }]);
    expect(importIssues("oxidized", "r1:junos\nr2:a:b:c:d:e")).toMatchObject([{ path: "line 2" }]);
    expect(importIssues("oxidized", "r1", { map: "model" })).toMatchObject([{ path: "map" }]);
  });
  test("reads the device table of NetPulse", () => {
    const head = "Selected,Name,Site,Location,Rack,Vendor,Model,IP,Port,Username,Password,Keepalive\n";
    const rows =
      "True,Core 1,AB,XX,L01,Cisco,C9300,192.0.2.1,10005,admin,geheim,180\nFalse,,,,,Nokia,,192.0.2.2,,,,\n";
    expect(fieldsOf("netpulse", head + rows)).toEqual({
      devices: [
        {
          name: "Core-1",
          host: "192.0.2.1",
          driver: "netmiko",
          site: "AB",
          platform: "cisco_ios",
          port: 10_005,
          connection: { username: "admin", keepalive: 180 },
          vars: { location: "XX", rack: "L01", model: "C9300", vendor: "Cisco" },
        },
        {
          name: "192.0.2.2",
          host: "192.0.2.2",
          driver: "netmiko",
          platform: "Nokia",
          vars: { vendor: "Nokia" },
          enabled: false,
        },
      ],
      groups: [],
      warnings: ["Password was omitted: it is a secret, use a credential (line 2)"],
    });
    expect(importIssues("netpulse", `${head}True,a,,,,Cisco,,,x,,,\n`)).toEqual([
      { path: "line 2", message: "IP: is required" },
      { path: "line 2", message: "Port: must be a number" },
    ]);
  });
});
