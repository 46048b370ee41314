/** Helpers shared by NAPALM's systems: names, addresses, times, numbers, and redacted configurations. */
import { describe, expect, test } from "vitest";
import {
  asNumber,
  ipAddress,
  ipVersion,
  macAddress,
  netmaskOf,
} from "../../../plugins/drivers/napalm/common/addresses.ts";
import { withoutCiscoSecrets } from "../../../plugins/drivers/napalm/common/cisco-secrets.ts";
import { secondsOfClock, secondsOfWords } from "../../../plugins/drivers/napalm/common/durations.ts";
import {
  canonicalInterface,
  interfaceRange,
  shortInterface,
} from "../../../plugins/drivers/napalm/common/interface-names.ts";
import { decimal, integer } from "../../../plugins/drivers/napalm/common/numbers.ts";
import { slot } from "../../../plugins/drivers/napalm/common/records.ts";

describe("the interface name", () => {
  test.each([
    ["Gi1/0/1", "GigabitEthernet1/0/1"],
    ["Te5/4.100", "TenGigabitEthernet5/4.100"],
    ["Po12", "Port-channel12"],
    ["mgmt0", "Management0"],
    ["Eth 1/1", "Ethernet1/1"],
    ["Vlan20", "Vlan20"],
    ["Twe1/0/1", "TwentyFiveGigE1/0/1"],
    ["TwentyFiveGigE1/0/1", "TwentyFiveGigE1/0/1"],
    ["Two1/0/1", "TwoGigabitEthernet1/0/1"],
    ["Tw1/0/1", "TwoGigabitEthernet1/0/1"],
    ["Th1/0/1", "TwoHundredGigabitEthernet1/0/1"],
    ["HundredGigE1/0/1", "HundredGigabitEthernet1/0/1"],
    ["Bd7", "Bdi7"],
    ["xe-0/0/2", "xe-0/0/2"],
    ["", ""],
  ])("%j is expanded to %j", (short, whole) => {
    expect(canonicalInterface(short)).toBe(whole);
  });

  test("is shortened, and a range is expanded", () => {
    expect(shortInterface("TenGigabitEthernet5/4")).toBe("Te5/4");
    expect(interfaceRange("Ethernet1/1-3")).toEqual(["Ethernet1/1", "Ethernet1/2", "Ethernet1/3"]);
    expect(interfaceRange("Ethernet1/1")).toEqual(["Ethernet1/1"]);
    expect(interfaceRange("Ethernet1/1-99999999")).toHaveLength(4096);
  });
});

describe("the address", () => {
  test.each([
    ["0024.f7dd.7741", "00:24:F7:DD:77:41"],
    ["24.f7dd.7741", "00:24:F7:DD:77:41"],
    ["0:24:f7:dd:77:41", "00:24:F7:DD:77:41"],
    ["00-24-F7-DD-77-41", "00:24:F7:DD:77:41"],
    ["0024f7dd7741", "00:24:F7:DD:77:41"],
    ["a9:c5:2e:7b:6:", "A9:C5:2E:7B:60:00"],
    ["192.168.2.44", undefined],
    ["port-001", undefined],
    ["17", undefined],
  ])("%j as MAC address is %j", (text, address) => {
    expect(macAddress(text)).toBe(address);
  });

  test("of IP has one canonical form", () => {
    expect(ipAddress("FE80::C009:24FF:FEAC:0")).toBe("fe80::c009:24ff:feac:0");
    expect(ipAddress("2001:0DB8:0:0:8:800:200C:417A")).toBe("2001:db8::8:800:200c:417a");
    expect(ipAddress("10.0.0.1")).toBe("10.0.0.1");
    expect(ipAddress("10.0.0")).toBeUndefined();
    expect([ipVersion("10.0.0.1"), ipVersion("::1"), ipVersion("r1.example")]).toEqual([4, 6, undefined]);
    expect([0, 8, 20, 24, 31, 32].map(netmaskOf)).toEqual([
      "0.0.0.0",
      "255.0.0.0",
      "255.255.240.0",
      "255.255.255.0",
      "255.255.255.254",
      "255.255.255.255",
    ]);
  });

  test("an AS number in asdot notation is converted to one number", () => {
    expect(["65001", "1.10", "x"].map(asNumber)).toEqual([65_001, 65_546, Number.NaN]);
  });
});

test("durations are converted to seconds", () => {
  expect(secondsOfWords("27 weeks, 4 days, 16 minutes")).toBe(16_676_160);
  expect(secondsOfWords("2 day(s), 23 hour(s), 4 minute(s), 51 second(s)")).toBe(255_891);
  expect(["00:14:23", "1d11h", "8w5d", "1y28w", "never", "soon"].map(secondsOfClock)).toEqual([
    863,
    126_000,
    5_270_400,
    48_470_400,
    -1,
    undefined,
  ]);
});

test("numbers are read from text, with a default for anything else", () => {
  expect([integer(" 7 ", -1), integer("7.5", -1), integer(7.9, -1)]).toEqual([7, -1, 7]);
  expect([decimal("-2.50", 0), decimal("N/A", undefined)]).toEqual([-2.5, undefined]);
});

test('a name such as "constructor" can be a key of a result', () => {
  const record: Record<string, string[]> = {};
  slot(record, "constructor", () => []).push("Gi1");
  slot(record, "constructor", () => []).push("Gi2");
  expect(record).toEqual({ constructor: ["Gi1", "Gi2"] });
});

test.each([
  ["snmp-server community public RO 11", "snmp-server community <removed>"],
  ["username a privilege 15 secret 5 $1$x$y", "username a privilege 15 secret 5 <removed>"],
  ["enable password 7 0822455D0A16", "enable password 7 <removed>"],
  [" neighbor 10.0.0.1 password 7 0822", " neighbor 10.0.0.1 password <removed>"],
  ["tacacs-server host 10.0.0.1 key 7 0822", "tacacs-server host 10.0.0.1 key <removed>"],
  ["snmp-server host 10.0.0.1 version 2c public bgp", "snmp-server host 10.0.0.1 version 2c <removed>  bgp"],
  [
    "snmp-server user a g auth sha 0xabc priv aes-128 0xdef localizedkey",
    "snmp-server user a g auth sha <removed> priv aes-128 <removed> localizedkey",
  ],
  [
    "tacacs server T\n address ipv4 10.0.0.1\n key 0822",
    "tacacs server T\n address ipv4 10.0.0.1\n key <removed>",
  ],
  ["interface Vlan1\n description password", "interface Vlan1\n description password"],
])("secrets are removed from %j", (line, without) => {
  expect(withoutCiscoSecrets(line)).toBe(without);
});
