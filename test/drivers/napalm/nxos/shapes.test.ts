/** The same table has different structures, depending on the switch's version and series; all are parsed. */
import { describe, expect, test } from "vitest";
import { callGetter, table, tables } from "./call-getter.ts";

describe("rows of an NX-API table", () => {
  const vlan = {
    "vlanshowbr-vlanid": "10",
    "vlanshowbr-vlanname": "ten",
    "vlanshowplist-ifidx": "Ethernet1/1-2",
  };
  const expected = { 10: { name: "ten", interfaces: ["Ethernet1/1", "Ethernet1/2"] } };
  test.each([
    ["a single row", table("vlanbriefxbrief", vlan), expected],
    ["a list of rows", table("vlanbriefxbrief", [vlan]), expected],
    ["no row", table("vlanbriefxbrief", null), {}],
    ["no table", {}, {}],
    ["null", null, {}],
  ])("are read from %s", async (_name, answer, result) => {
    expect(await callGetter("get_vlans", { "show vlan brief": answer })).toEqual(result);
  });
});

describe("nxos get_interfaces reads", () => {
  const of = (row: object) =>
    callGetter("get_interfaces", { "show interface": table("interface", { interface: "X1", ...row }) });
  test.each([
    [
      "a VLAN interface",
      {
        svi_admin_state: "up",
        svi_line_proto: "down",
        svi_mac: " 002a.6ad3.0000",
        svi_mtu: "1500",
        svi_bw: "1000000",
        svi_desc: '"a b"',
      },
      {
        is_enabled: true,
        is_up: true,
        mac_address: "00:2A:6A:D3:00:00",
        mtu: 1500,
        speed: 1000,
        description: "a b",
      },
    ],
    [
      "an interface with a list of speeds",
      { state: "up", eth_bw: [10_000_000, 1] },
      { is_enabled: true, is_up: true, speed: 10_000, mtu: 0, mac_address: "" },
    ],
    [
      "a loopback",
      { state: "up", admin_state: "down" },
      { is_enabled: false, is_up: true, last_flapped: -1 },
    ],
  ])("the state of %s", async (_name, row, expected) => {
    expect(await of(row)).toMatchObject({ X1: expected });
  });

  test.each([
    ["1year(s) 1week(s)", 31_557_600 + 604_800],
    ["3day(s) 2hour(s)", 266_400],
    ["00:01:30", 90],
    ["1d02h", 93_600],
    ["2w3d", 0],
    ["at boot", 0],
  ])("a last flap of %s ago", async (eth_link_flapped, ago) => {
    expect(await of({ eth_link_flapped })).toEqual({
      X1: expect.objectContaining({ last_flapped: expect.closeTo(Date.now() / 1000 - ago, -2) }),
    });
  });
});

describe("nxos get_interfaces_ip reads", () => {
  const of = (ipv4: unknown, ipv6?: unknown) =>
    callGetter("get_interfaces_ip", {
      "show ip interface": ipv4,
      ...(ipv6 === undefined ? {} : { "show ipv6 interface": ipv6 }),
    });
  const none = table("intf", null);

  test("secondary and unnumbered addresses", async () => {
    const secondary = table("secondary_address", { prefix1: "10.0.1.1", masklen1: "25" });
    const rows = [
      { "intf-name": "lo0", prefix: "10.0.0.1", masklen: 24, ...secondary },
      { "intf-name": "Eth1", "unnum-intf": "lo0" },
    ];
    expect(await of(tables("intf", rows))).toEqual({
      lo0: { ipv4: { "10.0.0.1": { prefix_length: 24 }, "10.0.1.1": { prefix_length: 25 } } },
      Eth1: { ipv4: { "10.0.0.1": { prefix_length: 24 } } },
    });
  });

  test.each([
    ["a list", { addr: ["2001:DB8::1/64", "2001:db8:1::1/48"] }, { "2001:db8::1": 64, "2001:db8:1::1": 48 }],
    [
      "a table",
      table("addr", [{ addr: "2001:db8::1/64" }, { addr: "2001:db8::2/64" }]),
      { "2001:db8::1": 64, "2001:db8::2": 64 },
    ],
    [
      "a single address with its prefix length",
      { addr: "2001:db8::1", prefix: "2001:db8::/64" },
      { "2001:db8::1": 64 },
    ],
    [
      "an address in a table, whose own length does not count",
      table("addr", { addr: "2001:db8::1/64" }),
      { "2001:db8::1": 128 },
    ],
    [
      "an address in a table with its prefix length",
      { ...table("addr", { addr: "2001:db8::1/48" }), prefix: "2001:db8::/64" },
      { "2001:db8::1": 64 },
    ],
    ["an empty list", { addr: [] }, {}],
  ])("IPv6 addresses from %s", async (_name, row, lengths) => {
    const ipv6 = Object.fromEntries(
      Object.entries(lengths).map(([address, length]) => [address, { prefix_length: length }]),
    );
    expect(await of(none, table("intf", { "intf-name": "Eth1", ...row }))).toEqual({ Eth1: { ipv6 } });
  });
});

test("nxos get_environment reads supplies without numbers and CPU load in a table", async () => {
  const supply = (state: string) => ({
    psmodel: "N9K-PAC-650W-B",
    actual_out: "107 W",
    tot_capa: "649 W",
    ps_status: state,
  });
  const sensor = (tempmod: string, name: string, curtemp: string) => ({
    tempmod,
    sensor: `${name}   `,
    majthres: "70",
    curtemp,
    alarmstatus: "Ok     ",
  });
  const answer = await callGetter("get_environment", {
    "show environment": {
      powersup: tables("psinfo", [supply("Ok"), supply("Shutdown")]),
      fandetails_3k: table("faninfo", [
        { fanname: "Fan1", fanstatus: "Failed" },
        { fanname: "Fan2", fanstatus: "ok" },
        { fanname: "Fan3" },
        { fanname: "Fan_in_PS1", fanstatus: "Ok" },
      ]),
      ...table("tempinfo", [
        sensor("1", "FRONT", "31"),
        sensor("1", "BACK", "80"),
        sensor("27", "CPU", "50"),
        sensor("27", "CPU", "40"),
      ]),
    },
    "show processes cpu": table("cpu_util", { idle_percent: "90.1" }),
    "show processes memory shared": table("process_tag", {
      "process-memory-share-total-shm-avail": 10,
      "process-memory-share-total-shm-used": "2",
    }),
  });
  expect(answer).toEqual({
    power: {
      1: { status: true, output: 107, capacity: 649 },
      2: { status: false, output: 107, capacity: 649 },
    },
    fans: { Fan1: { status: false }, Fan2: { status: false }, Fan3: { status: true } },
    temperature: {
      "1-1 FRONT": { temperature: 31, is_alert: false, is_critical: false },
      "1-2 BACK": { temperature: 80, is_alert: false, is_critical: true },
      "27-1 CPU": { temperature: 40, is_alert: false, is_critical: false },
    },
    cpu: { 0: { "%usage": 9.9 } },
    memory: { available_ram: 10_000, used_ram: 2000 },
  });
});

describe("nxos BGP getters", () => {
  const question = "show bgp all summary vrf all";
  const family = (af: number, safi: string, neighbors: unknown) => ({
    "af-id": af,
    ...table("saf", { safi, "af-name": "IPv4 MVPN", ...table("neighbor", neighbors) }),
  });
  const neighbor = (state: string, prefixreceived?: string) => ({
    neighborid: "10.0.0.2",
    neighboras: "1.1",
    state,
    prefixreceived,
  });

  test("use the last family of a neighbour, and report a shut neighbour as disabled", async () => {
    const vrf = {
      "vrf-name-out": "default",
      "vrf-router-id": "10.0.0.1",
      "vrf-local-as": 65_000,
      ...table("af", [
        family(1, "1", neighbor("Established", "5")),
        family(1, "5", [neighbor("Shut (Admin)")]),
      ]),
    };
    const answer = await callGetter("get_bgp_neighbors", { [question]: table("vrf", vrf) });
    expect(answer).not.toHaveProperty(["global", "peers", "10.0.0.2", "address_family", "ipv4"]);
    expect(answer).toMatchObject({
      global: {
        peers: {
          "10.0.0.2": {
            remote_as: 65_537,
            is_enabled: false,
            address_family: { "ipv4 mvpn": { received_prefixes: -1 } },
          },
        },
      },
    });
  });

  test("report no neighbours on a switch without BGP", async () => {
    expect(await callGetter("get_bgp_neighbors", {})).toEqual({});
  });
});

test("nxos getters read MAC addresses, ARP of a VRF, NTP, and facts without a chassis", async () => {
  const mac = { disp_mac_addr: "0011.2233.4455", disp_port: "Eth1/1", disp_vlan: "-", disp_is_static: 0 };
  expect(
    await callGetter("get_mac_address_table", { "show mac address-table": table("mac_address", mac) }),
  ).toEqual([
    {
      mac: "00:11:22:33:44:55",
      interface: "Eth1/1",
      vlan: 0,
      static: true,
      active: true,
      moves: 0,
      last_move: 0,
    },
  ]);
  const adjacency = table(
    "vrf",
    table("adj", {
      "ip-addr-out": "10.0.0.9",
      "time-stamp": "1d02h",
      "intf-out": "Vlan1",
      mac: "INCOMPLETE",
    }),
  );
  expect(await callGetter("get_arp_table", { "show ip arp vrf red": adjacency }, { vrf: "red" })).toEqual([
    { interface: "Vlan1", ip: "10.0.0.9", mac: "", age: -1 },
  ]);
  expect(await callGetter("get_ntp_stats", { "show ntp peer-status": {} })).toEqual([]);
  const facts = await callGetter("get_facts", {
    "show inventory": table("inv", { name: '"Chassis"', serialnum: "SN1" }),
    "show version": {
      nxos_ver_str: "10.2(3)",
      chassis_id: "Nexus9000",
      host_name: "sw1",
      kern_uptm_days: "1",
      kern_uptm_secs: 5,
    },
    "show interface": table("interface", { interface: "mgmt0" }),
    "show hostname": { hostname: "sw1.test" },
  });
  expect(facts).toMatchObject({
    serial_number: "SN1",
    os_version: "10.2(3)",
    uptime: 86_405,
    interface_list: ["mgmt0"],
  });
});

test("an nxos ping or traceroute that the switch refuses returns the error", async () => {
  expect(await callGetter("ping", {}, { destination: "10.0.0.1" })).toEqual({
    error: expect.stringContaining("refused"),
  });
  expect(await callGetter("traceroute", {}, { destination: "::1" })).toEqual({
    error: expect.stringContaining("traceroute6 ::1"),
  });
});
