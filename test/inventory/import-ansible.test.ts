/** Ansible's hosts: groups with children, variables of the closest group, ranges, secrets that are left out. */
import { expect, test } from "vitest";
import { readInventory } from "./formats.ts";
import { importIssues } from "./import-issues.ts";

const ini = `# all of it
lone ansible_host=192.0.2.9
[core]
r1 ansible_host=192.0.2.1 ansible_password=geheim vlan=10
r2:2222 site=berlin banner="two words" # said
[edge]
sw[01:03].lab ansible_user=bob
sw[a:c:2]
[lab]
r1
[lab:vars]
ntp=192.0.2.10
dns=['192.0.2.11', '192.0.2.12']
[dc:children]
core
edge
[dc:vars]
ansible_network_os=cisco.ios.ios
ansible_connection=ansible.netcommon.network_cli
ansible_become_password=geheim
`;

const groups = [
  { name: "core", parent: "dc" },
  { name: "edge", parent: "dc" },
  { name: "lab", vars: { ntp: "192.0.2.10", dns: ["192.0.2.11", "192.0.2.12"] } },
  { name: "dc", platform: "cisco_ios", driver: "netmiko" },
];

function read(text: string) {
  const found = readInventory("ansible", text);
  return {
    devices: Object.fromEntries(found.devices.map(({ fields }) => [fields.name, fields])),
    groups: found.groups.map(({ fields }) => fields),
    warnings: found.warnings,
  };
}

test("an INI hosts file becomes groups and devices", () => {
  const { devices, groups: found, warnings } = read(ini);
  expect(found).toEqual(groups);
  expect(devices).toEqual({
    lone: { name: "lone", host: "192.0.2.9" },
    r1: {
      name: "r1",
      group: "core",
      tags: ["lab"],
      host: "192.0.2.1",
      vars: { vlan: 10, ntp: "192.0.2.10", dns: ["192.0.2.11", "192.0.2.12"] },
    },
    r2: { name: "r2", group: "core", port: 2222, site: "berlin", vars: { banner: "two words" } },
    "sw01.lab": { name: "sw01.lab", group: "edge", connection: { username: "bob" } },
    "sw02.lab": { name: "sw02.lab", group: "edge", connection: { username: "bob" } },
    "sw03.lab": { name: "sw03.lab", group: "edge", connection: { username: "bob" } },
    swa: { name: "swa", group: "edge" },
    swc: { name: "swc", group: "edge" },
  });
  expect(warnings).toEqual([
    "ansible_become_password was omitted: it is a secret: use a credential (line 14)",
    "ansible_password was omitted: it is a secret: use a credential (line 4)",
  ]);
});

test("a YAML hosts file becomes the same groups and devices", () => {
  const yaml = `
all:
  hosts:
    lone: {ansible_host: 192.0.2.9}
  children:
    core:
      hosts:
        r1: {ansible_host: 192.0.2.1, vlan: 10, secret_word: !vault abc, key_of: !unsafe "{{ x }}"}
        r2: {ansible_port: 2222, site: berlin}
    edge:
      hosts:
        sw[01:02].lab: {ansible_user: bob}
    lab:
      hosts: {r1: }
      vars: {ntp: 192.0.2.10, dns: [192.0.2.11, 192.0.2.12], up: yes}
    dc:
      children: {core: , edge: }
      vars: {ansible_network_os: ios, ansible_connection: network_cli}
`;
  const { devices, groups: found } = read(yaml);
  expect(found).toMatchObject([groups[0], groups[1], { ...groups[2], vars: { up: true } }, groups[3]]);
  expect(devices).toMatchObject({
    lone: { host: "192.0.2.9" },
    r1: { group: "core", tags: ["lab"], vars: { vlan: 10, ntp: "192.0.2.10", up: true, key_of: "{{ x }}" } },
    r2: { group: "core", port: 2222, site: "berlin" },
    "sw01.lab": { group: "edge", connection: { username: "bob" } },
  });
  expect(Object.keys(devices)).toHaveLength(5);
});

test("y and n in YAML stay strings, yes and no become booleans, as in Ansible", () => {
  const { devices } = read("all:\n  hosts:\n    r1: {x: 1, y: n, up: yes, port_is: 'y'}\n");
  expect(devices.r1).toMatchObject({ vars: { x: 1, y: "n", up: true, port_is: "y" } });
});

test("a device gets the value of the variable that Ansible would choose", () => {
  const text = "[a]\nr1\n[z]\nr1\n[a:vars]\nx=1\ny=1\n[z:vars]\nx=2\n[all:vars]\nx=0\nq=0\n";
  expect(read(text).devices.r1).toEqual({ name: "r1", group: "z", tags: ["a"], vars: { y: 1 } });
  const byPriority = `${text}[a:vars]\nansible_group_priority=5\n`;
  expect(read(byPriority).devices.r1).toEqual({ name: "r1", group: "a", tags: ["z"] });
});

test.each([
  ["[a:children]\nb\n[b:children]\na\n", ["line 1", "line 2"]],
  ["[a\nr1", ["line 1"]],
  ["[a:hosts:x]\nr1", ["line 1"]],
  ["r1 x\n", ["line 1"]],
  ['r1 x="1\n', ["line 1"]],
  ["[a:vars]\nx\n", ["line 2"]],
  ["sw[x:1]\nsw[1:2\nsw[01:5]\n", ["line 1", "line 2", "line 3"]],
  ["sw[1:999999999]\n", ["line 1"]],
  [`${"sw[1:9]".repeat(9)}\n`, ["line 1"]],
  [`r1 x=${"y".repeat(70_000)}\n`, ["line 1"]],
  ["all:\n  hosts: [r1]\n", ["line 2"]],
  ["all:\n  hosts:\n    r1: 5\n", ["line 3"]],
])("an invalid hosts file is rejected with its line (%#)", (text, lines) => {
  expect(importIssues("ansible", text)).toMatchObject(lines.map((path) => ({ path })));
});

test.each(["constructor", "toString", "__proto__"])(
  "a variable named %s, like a member of every JavaScript object, is imported",
  (name) => {
    const { devices, groups } = read(`[g]\nr1 ${name}=1\n[g:vars]\n${name}=2\n`);
    expect(Object.entries(devices.r1?.vars ?? {})).toEqual([[name, 1]]);
    expect(groups.map(({ vars }) => Object.entries(vars ?? {}))).toEqual([[[name, 2]]]);
  },
);

test("a range of hosts is bounded before it is expanded", () => {
  expect(importIssues("ansible", "a[1:60000]\nb[1:60000]\n")).toBe("PayloadTooLarge");
});

test("host patterns that Ansible takes", () => {
  const yaml =
    "\ufeffall:\n  hosts:\n    '[2001:db8::5]:2022': {a: 1}\n    'k[3:1]': {}\n    'k[01:10:3]': {}\n    'x[:1]': {}\n  children:\n    g: {hosts: r1}\n";
  const { devices, warnings } = read(yaml);
  expect(Object.keys(devices).sort()).toEqual(["2001:db8::5", "k01", "k04", "k07", "k10", "r1", "x0", "x1"]);
  expect(devices["2001:db8::5"]).toMatchObject({ port: 2022, vars: { a: 1 } });
  expect(devices.r1).toMatchObject({ group: "g" });
  expect(warnings).toEqual(["a range that ends before it begins names no host (line 4)"]);
  const ini = read("[2001:db8::5]:2022 a=1\n[a:c]x\n[10.0.0.1]:22\nsw[1:2]:2022\n2001:db8::7\n");
  expect(Object.keys(ini.devices).sort()).toEqual([
    "10.0.0.1",
    "2001:db8::5",
    "2001:db8::7",
    "ax",
    "bx",
    "cx",
    "sw1",
    "sw2",
  ]);
  expect(ini.devices.sw2).toMatchObject({ port: 2022 });
});

test("values of INI lines are literals of Python, with the comments of its readers", () => {
  const { devices, groups, warnings } = read(
    "r1 a=0x10 b=1_000 c=\"{'k': 'True', 'n': None}\" d=10,20 e='\"08\"' f=x#y g=1 # h=2\n[g]\nr1\n[g:vars]\ni = a # b\nj = 5 # five\nk = {\"t\": true}\nl = {1, 2}\nm=1e5\n",
  );
  expect(devices.r1?.vars).toEqual({
    a: 16,
    b: 1000,
    c: { k: "True", n: null },
    d: [10, 20],
    e: "08",
    f: "x",
  });
  expect(groups[0]?.vars).toMatchObject({
    i: "a # b",
    j: 5,
    k: '{"t": true}',
    l: [1, 2],
    m: { text: "100000.0" },
  });
  expect(warnings).toEqual(["a set became a list (line 8)"]);
});

test("dates and keys that appear twice are told", () => {
  const bundle = {
    hosts: "r1\n",
    host_vars: { "r1.yml": "bought: 2023-11-05\nat: 2023-11-05 10:00:00\nx: 1\nx: 2\n" },
  };
  const { devices, warnings } = read(JSON.stringify(bundle));
  expect(devices.r1?.vars).toEqual({ bought: "2023-11-05", at: "2023-11-05 10:00:00", x: 2 });
  expect(warnings).toEqual([
    "a date became text (host_vars/r1.yml line 1)",
    "a date with a time became text (host_vars/r1.yml line 2)",
    'the key "x" appears twice: the last one is used (host_vars/r1.yml line 4)',
  ]);
});

test("a file that is JSON is read as JSON, as Ansible's loader does", () => {
  const bundle = { hosts: "r1\n", host_vars: { "r1.json": '{\n\t"a": 1e3, "b": "08"}' } };
  expect(read(JSON.stringify(bundle)).devices.r1?.vars).toEqual({ a: { text: "1000.0" }, b: "08" });
});
