/** Behaviour of simulated devices: real mode names, contexts, filters, refusals, repeated questions. */
import { describe, expect, test } from "vitest";
import { compilePlatform } from "../../../src/device/cli/platform.ts";
import { createDevice } from "../../../src/testkit/simulator/device.ts";
import { createTerminalSession } from "../../../src/testkit/simulator/terminal/terminal-session.ts";
import { platformNamed, simulatedDevice } from "./simulated-device.ts";

const ios = ["enable", "sesame", "configure terminal"];

describe("a simulated configuration mode", () => {
  test.each([
    ["cisco_ios", [...ios, "ip dhcp pool X"], "R1(dhcp-config)#"],
    ["cisco_ios", [...ios, "crypto pki trustpoint T"], "R1(ca-trustpoint)#"],
    ["cisco_ios", [...ios, "crypto ipsec transform-set A esp-aes"], "R1(cfg-crypto-trans)#"],
    ["cisco_ios", [...ios, "route-map RM permit 10"], "R1(config-route-map)#"],
    ["cisco_ios", [...ios, "vlan 10"], "R1(config-vlan)#"],
    ["cisco_ios", [...ios, "router bgp 1", "address-family ipv4"], "R1(config-router-af)#"],
    ["cisco_ios", [...ios, "router bgp 1", "address-family ipv4", "exit"], "R1(config-router)#"],
    ["cisco_ios", [...ios, "interface Gi1", "interface Gi2", "exit"], "R1(config)#"],
    ["cisco_ios", [...ios, "interface Gi1", "end"], "R1#"],
    ["cisco_ios", [...ios.slice(0, 2), "vlan database"], "R1(vlan)#"],
    ["cisco_ios", [...ios, "hostname access-switch-of-floor-12"], "access-switch-of-flo(config)#"],
    ["cisco_ios", [...ios, "hostname access-switch-of-floor-12", "end"], "access-switch-of-floor-12#"],
    ["arista_eos", [...ios, "interface 1,3,5"], "R1(config-if-Et1,3,5)#"],
    ["aruba_os", [...ios, 'wlan ssid-profile "x"'], '(R1) [mynode] (SSID Profile "x") #'],
    ["huawei", ["system-view", "interface GigabitEthernet0/0/1"], "[R1-GigabitEthernet0/0/1]"],
    ["huawei_vrpv8", ["system-view", "bgp 1"], "[~R1-bgp]"],
    ["hp_procurve", [...ios, "vlan 10"], "R1(vlan-10)# "],
    ["netgear_prosafe", ["enable", "sesame", "configure", "interface 0/1"], "(R1) (Interface 0/1)#"],
    ["fortinet", ["config system interface", "edit port1"], "R1 (port1) # "],
    ["fortinet", ["config system interface", "edit port1", "next"], "R1 (interface) # "],
    ["fortinet", ["config system interface", "edit port1", "end"], "R1 # "],
    ["fortinet", ["config vdom", "edit customer1"], "R1 (customer1) # "],
  ])("has the right prompt on %s after %j", (name, lines, prompt) => {
    const { answer, platform } = simulatedDevice(name);
    expect(answer(...lines).prompt).toBe(prompt);
    expect(compilePlatform(platform).prompts.find(`x\n${prompt}`)).toBeDefined();
  });

  test("is left by one level with `exit`", () => {
    const { answer } = simulatedDevice("cisco_ios");
    expect(answer(...ios, "ip access-list extended A", "permit ip any any", "exit").prompt).toBe(
      "R1(config)#",
    );
  });

  test("shows its lines indented below the line that opened it", () => {
    const { answer } = simulatedDevice("cisco_ios");
    answer(...ios, "interface Gi1", "description uplink", "exit", "interface Gi2", "shutdown");
    answer("interface Gi1", "ip address 192.0.2.1 255.255.255.0", "no description", "hostname core9", "end");
    expect(answer("show running-config").output).toBe(
      "hostname core9\ninterface Gi1\n ip address 192.0.2.1 255.255.255.0\ninterface Gi2\n shutdown\nend",
    );
  });

  test("with a candidate changes nothing before the commit", () => {
    const { answer, device } = simulatedDevice("juniper_junos");
    answer("configure", "set system host-name core9");
    expect(device.hostname).toBe("R1");
    expect(answer("commit").prompt).toBe("admin@core9# ");
  });
});

describe("a simulated context", () => {
  test.each([
    ["cisco_asa", ["enable", "sesame", "changeto context CTX1"], "R1/CTX1# "],
    ["cisco_asa", ["enable", "sesame", "changeto context CTX1", "configure terminal"], "R1/CTX1(config)# "],
    ["cisco_asa", ["enable", "sesame", "changeto context CTX1", "changeto system"], "R1# "],
    ["cisco_nxos", ["enable", "sesame", "switchto vdc RED"], "R1-RED#"],
    ["cisco_nxos", ["enable", "sesame", "switchto vdc RED", "switchback"], "R1#"],
    ["juniper_junos", ["set cli logical-system LS1"], "admin@R1:LS1> "],
    ["linux", ["cd /var/log"], "user@R1:/var/log$ "],
    ["linux", ["cd /var/log", "sudo -s", "sesame", "cd ..", "exit"], "user@R1:/var/log$ "],
  ])("has the right prompt on %s after %j", (name, lines, prompt) => {
    expect(simulatedDevice(name).answer(...lines).prompt).toBe(prompt);
  });

  test("of a shell remembers variables and umask", () => {
    const { answer } = simulatedDevice("linux");
    answer("export SITE=lab", "umask 077");
    expect(answer("echo at $SITE").output).toBe("at lab");
    expect(answer("umask").output).toBe("0077");
  });
});

describe("a simulated show command", () => {
  const running = [...ios, "interface Gi1", "description a", "interface Gi2", "shutdown", "end"];
  test.each([
    ["cisco_ios", running, "show running-config | include Gi", "interface Gi1\ninterface Gi2"],
    ["cisco_ios", running, "show run | exclude interface", "hostname R1\n description a\n shutdown\nend"],
    ["cisco_ios", running, "show running-config | begin Gi2", "interface Gi2\n shutdown\nend"],
    ["cisco_ios", running, "show running-config | section Gi1", "interface Gi1\n description a"],
    ["cisco_ios", running, "show run | count inter", "Number of lines which match regexp = 2"],
    ["cisco_ios", ios, "do show clock", "*07:05:01.123 UTC Fri Nov 20 2026"],
    ["cisco_nxos", ["enable", "sesame"], "show users | include admin | count", "1"],
    ["juniper_junos", [], "show configuration | count", "Count: 1 lines"],
    ["juniper_junos", [], "show configuration | match HOST | no-more", "set system host-name R1"],
    ["huawei", [], "display clock | include Fri", "Friday"],
  ])("on %s after %j supports filters: %s", (name, before, line, output) => {
    const { answer } = simulatedDevice(name);
    answer(...before);
    expect(answer(line).output).toBe(output);
  });

  test.each([
    ["cisco_ios", "show nonsense"],
    ["cisco_ios", "show clock | nonsense x"],
    ["huawei", "display nonsense"],
    ["juniper_junos", "show nonsense"],
    ["accedian", "show version | include R1"],
  ])("is refused in the style of %s: %s", (name, line) => {
    const { answer, platform } = simulatedDevice(name);
    const { output } = answer(line);
    expect(compilePlatform(platform).errors.some((pattern) => pattern.test(output))).toBe(true);
  });
});

test.each([
  ["cisco_ios", ["enable", "sesame", "reload"], ["yes"], "Proceed with reload? [confirm]"],
  ["huawei", ["save"], ["y"], "Info: Please input the file name ( *.cfg, *.zip ) [vrpcfg.zip]:"],
  ["hp_procurve", ["enable", "sesame", "reload"], [], "System will be rebooted from primary image."],
])("%s repeats its question after %j", (name, lines, replies, last) => {
  const { answer } = simulatedDevice(name);
  answer(...lines.slice(0, -1));
  expect(answer(lines.at(-1) ?? "", ...replies).prompt).toContain(last);
});

test("a commit and a discard ask the questions of their steps before they take effect", () => {
  const junos = platformNamed("juniper_junos");
  const asks = [
    { ask: /Apply\? $/, example: "Apply? ", reply: "y" },
    { ask: /Really\? $/, example: "Really? ", reply: "APPLY" },
  ];
  const drops = [{ ask: /Lost\? $/, example: "Lost? ", reply: "y" }];
  const candidate = {
    ...junos.candidate,
    diff: "show edits",
    commit: [{ send: "apply", questions: asks }],
    discard: [{ send: "forget", questions: drops }],
    failed: [/^error/m],
  };
  const { answer } = simulatedDevice({
    ...junos,
    undo: [],
    simulated: { ...junos.simulated, committed: "applied" },
    candidate,
  });
  answer("configure", "set system location floor 3");
  expect(answer("apply").prompt).toBe("Apply? ");
  expect(answer("y").prompt).toBe("Really? ");
  expect(answer("APPLY").output).toBe("applied");
  answer("set system location floor 4");
  expect(answer("forget").prompt).toBe("Lost? ");
  answer("y");
  expect(answer("show edits").output).toBe("");
});

test("a command shows what the configuration makes of it, in which a line takes the place of another", () => {
  const shows = {
    "show neighbours": (lines: readonly string[]) => lines.filter((line) => /AS/.test(line)).join(""),
  };
  const device = createDevice({
    ...{ platform: platformNamed("cisco_ios"), hostname: "R1", secret: "", answers: new Map(), shows },
    replaces: /^neighbor \S+ AS/,
  });
  const session = createTerminalSession(device);
  const shown = (...lines: string[]) => {
    for (const line of ["enable", "configure terminal", "router bgp 1", ...lines, "end"]) session.enter(line);
    return session.enter("show neighbours").output;
  };
  expect(shown("neighbor 10.0.0.1 AS 2")).toBe(" neighbor 10.0.0.1 AS 2");
  expect(shown("neighbor 10.0.0.1 AS 3")).toBe(" neighbor 10.0.0.1 AS 3");
  expect(shown("neighbor 10.0.0.2 AS 2")).toBe(" neighbor 10.0.0.1 AS 3 neighbor 10.0.0.2 AS 2");
  expect(session.enter("show nothing").output).toBe(device.refusal);
});
