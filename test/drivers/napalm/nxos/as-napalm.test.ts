/** NAPALM's results where the switch's structured response is ambiguous. */
import { expect, test } from "vitest";
import { callGetter, table } from "./call-getter.ts";

test("get_environment reads supplies by number, and their state from the plain field", async () => {
  const supplies = [
    { psnum: 3, psmodel: "NXA-PAC-500W", watts: "12.5", ps_status: "OK" },
    { psnum: 4, psmodel: "N9K-PAC-650W-B", ps_status_3k: "fail" },
  ];
  const answer = await callGetter("get_environment", {
    "show environment": { powersup: table("psinfo", supplies) },
    "show processes cpu": {},
    "show processes memory shared": {},
  });
  expect(answer).toMatchObject({
    power: {
      3: { status: true, output: 12.5, capacity: 500 },
      4: { status: true, output: -1, capacity: 650 },
    },
  });
});

test("get_arp_table reads the first table only", async () => {
  const entries = (ip: string) =>
    table("adj", { "ip-addr-out": ip, "time-stamp": "00:00:09", "intf-out": "Vlan1", mac: "0011.2233.4455" });
  const tables = table("vrf", [entries("10.0.0.1"), entries("10.0.0.2")]);
  expect(await callGetter("get_arp_table", { "show ip arp": tables })).toEqual([
    { interface: "Vlan1", ip: "10.0.0.1", mac: "00:11:22:33:44:55", age: 9 },
  ]);
});
