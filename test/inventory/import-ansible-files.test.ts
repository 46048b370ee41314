/** Ansible's `group_vars` and `host_vars`: found as in Ansible, with its precedence. */
import { expect, test } from "vitest";
import { formatNamed, readInventory } from "./formats.ts";
import { importIssues } from "./import-issues.ts";

type Texts = Record<string, string>;

function read(hosts: string, groupVars: Texts, hostVars: Texts = {}) {
  return entriesOf(JSON.stringify({ hosts, group_vars: groupVars, host_vars: hostVars }));
}

function entriesOf(text: string) {
  const found = readInventory("ansible", text);
  return {
    devices: Object.fromEntries(found.devices.map(({ fields }) => [fields.name, fields])),
    groups: Object.fromEntries(found.groups.map(({ fields }) => [fields.name, fields])),
    warnings: found.warnings,
  };
}

const hosts = "[core]\nr1 x=host\n[edge]\nsw1\nsw2\n[dc:children]\ncore\nedge\n";

test("a file in group_vars or host_vars applies to the group or host of its name", () => {
  const { devices, groups, warnings } = read(
    hosts,
    {
      "all.yml": "ansible_connection: ansible.netcommon.network_cli\nntp: 192.0.2.1\n",
      "dc/10-base.yml": "a: 1\nb: 1\n",
      "dc/20-more.yaml": "b: 2\n",
      "dc/deep/z.json": '{"c": 3}',
      "dc/.hidden.yml": "c: 9\n",
      "dc/old.yml~": "c: 9\n",
      "dc/readme.md": "c: 9\n",
      edge: "ansible_network_os: cisco.ios.ios\nsite: berlin\n",
      "edge.yml": "site: paris\n",
      "other.yml": "x: 1\n",
    },
    { "r1.yml": "x: file\nansible_host: 192.0.2.7\n", "sw2.json": '{"rack": 4}' },
  );
  expect(groups).toEqual({
    all: { name: "all", driver: "netmiko", vars: { ntp: "192.0.2.1" } },
    core: { name: "core", parent: "dc" },
    edge: { name: "edge", parent: "dc", platform: "cisco_ios", site: "berlin" },
    dc: { name: "dc", parent: "all", vars: { a: 1, b: 2, c: 3 } },
  });
  expect(devices).toEqual({
    r1: { name: "r1", group: "core", host: "192.0.2.7", vars: { x: "file" } },
    sw1: { name: "sw1", group: "edge" },
    sw2: { name: "sw2", group: "edge", vars: { rack: 4 } },
  });
  expect(warnings).toEqual(["a file was omitted: no group or host has its name (group_vars/other.yml)"]);
});

test("files override group variables of the hosts file, and host variables override both", () => {
  const hostsText = `${hosts}[edge:vars]\nx=edge\ny=edge\nz=edge\n[dc:vars]\nx=dc\n[all:vars]\nw=all\n`;
  const { devices, groups } = read(hostsText, {
    "all.yml": "y: all file\n",
    "dc.yml": "x: dc file\nw: dc file\n",
  });
  // `x` and `y` of `edge` would override the files of its parents.
  expect(groups.edge).toEqual({ name: "edge", parent: "dc", vars: { z: "edge" } });
  expect(groups.dc).toMatchObject({ vars: { x: "dc file", w: "dc file" } });
  expect(groups.all).toMatchObject({ vars: { y: "all file", w: "all" } });
  expect(devices.r1).toEqual({ name: "r1", group: "core", vars: { x: "host" } });
});

test("for a device in two groups, a file of the farther group overrides the nearer group's own", () => {
  const hostsText = "[a]\nr1\n[z]\nr1\nr2\n[z:vars]\nx=z\n";
  const { devices, groups } = read(hostsText, { "a.yml": "x: a file\n" });
  expect(groups.z).toEqual({ name: "z", vars: { x: "z" } });
  expect(devices.r1).toEqual({ name: "r1", group: "z", tags: ["a"], vars: { x: "a file" } });
  expect(devices.r2).toEqual({ name: "r2", group: "z" });
});

test("vault-encrypted values and secrets are omitted, with a warning", () => {
  const { groups, warnings } = read(
    hosts,
    {
      "all/vars.yml":
        "ansible_password: x\nbanner: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6162\nlist: [{k: !vault ab}]\n",
      "all/vault.yml": "$ANSIBLE_VAULT;1.1;AES256\n6162\n",
      "dc.yml": "ansible_group_priority: 9\n",
    },
    { "r1.yml": "snmp_community: public\n" },
  );
  expect(groups.all).toEqual({ name: "all", vars: { list: [{ k: null }] } });
  const vault = "it is encrypted by ansible-vault: use a credential for secrets";
  expect(warnings.toSorted()).toEqual([
    `a file encrypted by ansible-vault was omitted: use a credential for secrets (group_vars/all/vault.yml)`,
    "ansible_group_priority was omitted: Ansible accepts it at hosts only (group_vars/dc.yml)",
    "ansible_password was omitted: it is a secret: use a credential (group_vars/all)",
    `banner was omitted: ${vault} (group_vars/all)`,
    `list.0.k is null: ${vault} (group_vars/all)`,
    "snmp_community was omitted: it is a secret: use a credential (host_vars/r1.yml)",
  ]);
});

test.each([
  [{ hosts, group_vars: { "dc.yml": "a: [\n" } }, /^group_vars\/dc\.yml line \d/],
  [{ hosts, group_vars: { "dc.yml": "- a\n" } }, /^group_vars\/dc\.yml line 1$/],
  [{ hosts, group_vars: [] }, /^group_vars$/],
  [{ hosts, host_vars: { r1: 7 } }, /^host_vars\/r1$/],
  [{ hosts, vars: {} }, /^vars$/],
])("an invalid bundle is rejected with the file at fault (%#)", (bundle, path) => {
  expect(importIssues("ansible", JSON.stringify(bundle))).toMatchObject([
    { path: expect.stringMatching(path) },
  ]);
});

test("hosts in JSON are imported as hosts", () => {
  expect(entriesOf('{"hosts": {"hosts": {"r1": {}}}}').devices).toEqual({
    r1: { name: "r1", group: "hosts" },
  });
});

test("a folder of a git repository is read as one hosts file with its variable files", () => {
  const files = [
    { name: "net/group_vars/dc.yml", text: "a: 1\n" },
    { name: "net/hosts.ini", text: hosts },
    { name: "net/playbook.yml", text: "- hosts: all\n" },
  ];
  expect(entriesOf(formatNamed("ansible").join?.(files, "net/") ?? "").groups.dc).toMatchObject({
    vars: { a: 1 },
  });
  const two = [...files, { name: "net/inventory", text: hosts }];
  expect(() => formatNamed("ansible").join?.(two, "net")).toThrow("it has 2");
});
