/** A push as the draft of a change. */
import * as v from "valibot";
import { expect, test } from "vitest";
import { changeRequest } from "../../src/api/changes/change.ts";
import { changeOfPush } from "../../src/api/changes/change-of-push.ts";
import { bulkRequest } from "../../src/api/jobs/request.ts";

const later = new Date(Date.now() + 3_600_000).toISOString();

test("everything that a change knows is taken over, and is valid there", () => {
  const push = {
    ...{ select: "site:berlin", limit: 4, devices: [{ device: "sw1" }, { device: "sw2" }] },
    ...{ config: { id: 7 }, rendering: { name: "jinja2", template: "vlan {{ id }}" } },
    driver_args: { save: true, dry_run: true },
    checks: { after: [{ command: "show vlan", contains: "7" }], settle_seconds: 5 },
    concurrency: 20,
    options: { label: "VLAN 7", ticket: "CHG-7", note: "why", ttl: 60, not_before: later },
    connection_args: {},
  };
  expect(v.is(bulkRequest, push)).toBe(true);
  const { change, misplaced } = changeOfPush(push, "unused");
  expect(misplaced).toEqual([]);
  expect(v.parse(changeRequest, change)).toEqual({
    ...{ name: "VLAN 7", ticket: "CHG-7", note: "why", select: "site:berlin", devices: ["sw1", "sw2"] },
    ...{ config: { id: 7 }, rendering: { name: "jinja2", template: "vlan {{ id }}" } },
    ...{ driver_args: { save: true }, checks: push.checks, ttl: 60, not_before: later },
    strategy: { concurrency: 20 },
  });
});

test("what has no place in a change is named, without its value", () => {
  const { change, misplaced } = changeOfPush(
    {
      ...{ driver: "netmiko", order: "random", max_failures: 3, config: ["ntp server 192.0.2.1"] },
      connection_args: { username: "admin", password: "secret-1", verify: null },
      devices: [{ host: "192.0.2.1", port: 2222 }, { device: "sw1" }],
      options: { tags: ["a"], priority: 5 },
    },
    "push of 1 line",
  );
  expect(change).toEqual({
    ...{ name: "push of 1 line", config: ["ntp server 192.0.2.1"], devices: ["192.0.2.1", "sw1"] },
  });
  expect(misplaced).toEqual([
    ...["driver", "order", "max_failures", "options.tags", "options.priority"],
    ...["connection_args.username", "connection_args.password", "devices.port"],
  ]);
  const one = changeOfPush({ connection_args: { host: "sw9" }, config: "x" }, "one");
  expect(one.change.devices).toEqual(["sw9"]);
});

test("a change has no name that its bulks cannot have as a label", () => {
  const draft = { name: "VLAN 7", select: "site:berlin", config: "vlan 7" };
  expect(v.is(changeRequest, draft)).toBe(true);
  for (const name of ["VLAN\u00007", "VLAN\u001b[31m7", "x".repeat(201), "  "])
    expect(v.safeParse(changeRequest, { ...draft, name }).issues, name).toHaveLength(1);
});
