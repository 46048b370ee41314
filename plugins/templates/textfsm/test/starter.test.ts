/** The starter set: it compiles, and its index finds the commands that it has. */

import { describe, expect, test } from "vitest";
import { defaultTemplateLimits } from "../../python/text.ts";
import { checkSet } from "../install.ts";
import { TemplateSet } from "../library.ts";
import { starterSet } from "../starter.ts";

const library = starterSet();
const set = new TemplateSet(library, defaultTemplateLimits);

test("every template and index entry of the starter set compiles", () => {
  const report = checkSet(library);
  expect(report.problems).toEqual([]);
  expect(report.templates).toBe(report.entries);
});

describe("the starter set", () => {
  test.each([
    ["cisco_ios", "show version"],
    ["cisco_ios", "sh ver"],
    ["cisco_ios", "sh ip int br"],
    ["cisco_nxos", "show interface status"],
    ["cisco_xr", "admin show inventory all"],
    ["arista_eos", "show ip bgp summary vrf RED"],
    ["juniper_junos", "show chassis hardware | no-more"],
    ["hp_comware", "dis lldp neighbor-information list"],
    ["huawei_vrp", "display mac-address"],
  ])("has a template for %s: %s", (platform, command) => {
    expect(set.index.find(platform, command)).toBeDefined();
  });

  test.each([
    ["cisco_ios", "show interfaces trunk"],
    ["cisco_ios", "show version | include uptime"],
    ["cisco_ios", "display version"],
    ["linux", "show version"],
  ])("has no template for %s: %s", (platform, command) => {
    expect(set.index.find(platform, command)).toBeUndefined();
  });
});
