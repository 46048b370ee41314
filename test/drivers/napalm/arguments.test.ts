/**
 * Method arguments are inserted into CLI commands, and into a shell on some devices: none can terminate the
 * command.
 */
import * as v from "valibot";
import { expect, test } from "vitest";
import { controlArguments } from "../../../plugins/drivers/napalm/control-arguments.ts";
import { methodArguments } from "../../../plugins/drivers/napalm/methods.ts";
import { optionalArgs } from "../../../plugins/drivers/napalm/optional-args.ts";

const intoCommands = [
  ["get_arp_table", "vrf"],
  ["get_bgp_neighbors_detail", "neighbor_address"],
  ["get_lldp_neighbors_detail", "interface"],
  ["get_network_instances", "name"],
  ["get_route_to", "destination"],
  ["get_route_to", "protocol"],
  ["ping", "destination"],
  ["ping", "source"],
  ["ping", "vrf"],
  ["ping", "source_interface"],
  ["traceroute", "destination"],
  ["traceroute", "source"],
  ["traceroute", "vrf"],
] as const;

const harmful = [
  ...["a ; reload", "a;reload", "a | redirect flash:x", "$(reboot)", "`reboot`", "a & reboot"],
  ...["a > /mnt/flash/x", "a' b", "a?", "a\\b", "a b c"],
];
const harmless = ["10.0.0.1", "2001:db8::1", "Ethernet1/1.100", "blue-1"];

test.each(intoCommands)("%s: the argument %s cannot end the command", (method, field) => {
  const needed = method === "ping" || method === "traceroute" ? { destination: "192.0.2.1" } : {};
  const isTaken = (value: string) =>
    v.safeParse(methodArguments[method], { ...needed, [field]: value }).success;
  expect(harmful.filter(isTaken)).toEqual([]);
  expect(harmless.filter(isTaken)).toEqual(harmless);
});

test("an interface name may have a blank before its number", () => {
  const args = { interface: "GigabitEthernet 0/1" };
  expect(v.safeParse(methodArguments.get_lldp_neighbors_detail, args).success).toBe(true);
});

test("the name of a file system cannot end the command", () => {
  const isTaken = (dest_file_system: string) => v.safeParse(optionalArgs, { dest_file_system }).success;
  expect(harmful.filter(isTaken)).toEqual([]);
  expect(["flash:", "bootflash", "disk0:/", "harddisk:"].every(isTaken)).toBe(true);
});

test("numbers and booleans may be strings", () => {
  const ping = { destination: "192.0.2.1", count: "3", size: "1500", ttl: "64", timeout: "1" };
  expect(v.parse(methodArguments.ping, ping)).toMatchObject({ count: 3, size: 1500, ttl: 64, timeout: 1 });
  expect(v.safeParse(methodArguments.ping, { ...ping, count: "3; reload" }).success).toBe(false);
  expect(v.parse(methodArguments.get_config, { full: "true", sanitized: 0 })).toMatchObject({
    full: true,
    sanitized: false,
  });
  expect(v.parse(methodArguments.get_route_to, { longer: "yes" })).toMatchObject({ longer: true });
  expect(v.parse(controlArguments.commit_config, { revert_in: "60" })).toEqual({ revert_in: 60 });
});
