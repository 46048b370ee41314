/** A changed configuration is written as its text was. */
import { expect, test } from "vitest";
import {
  eosRunning,
  fortiosRunning,
  iosRunning,
  junosRunning,
  nxosRunning,
  vrpRunning,
  vyosRunning,
} from "../../plugins/platforms/family/running.ts";
import { takeInto } from "../../src/configtree/apply.ts";
import { createModels } from "../../src/configtree/model.ts";
import { takePaths } from "../../src/configtree/paths.ts";
import { createRewriter } from "../../src/configtree/rewrite.ts";
import type { TreeRules } from "../../src/configtree/rules.ts";
import { configurations } from "../../src/testkit/simulator/recorded.ts";

function after(text: string, lines: readonly string[], rules: TreeRules): string {
  const models = createModels(rules);
  const application = takeInto(models.modelOf(text), models, rules);
  const { take } = application.cursor();
  for (const line of lines) take([line], { opensMore: false });
  return createRewriter(text, rules)(application.top);
}

test.each(Object.entries(configurations))("%s: without a change it is the same text", (name, text) => {
  const rules = name === "hp_comware" ? vrpRunning : name === "cisco_nxos" ? nxosRunning : iosRunning;
  expect(after(`${text}\n`, [], rules)).toBe(`${text}\n`);
});

const ios = `Building configuration...

!
hostname R1
!
interface Gi0/1
 description uplink
 no shutdown
!
interface Gi0/2
 shutdown
!
router bgp 65001
 neighbor 10.0.0.2 remote-as 65002
 !
 address-family ipv4
  neighbor 10.0.0.2 activate
 exit-address-family
!
ip route 0.0.0.0 0.0.0.0 10.0.0.2
ntp server 192.0.2.1
!
end
`;
const iosRules = { ...iosRunning, sections: [/^(?:interface|router) /] };

test("new lines stand beside their like, comments stay, and what is not so any more goes", () => {
  const lines = [
    ...["hostname R2", "interface Gi0/1", " no description", " shutdown"],
    ...["interface Lo0", " ip address 192.0.2.9 255.255.255.255", "ntp server 192.0.2.2"],
    ...["no ip route 0.0.0.0 0.0.0.0 10.0.0.2", "router bgp 65001", " neighbor 10.0.0.3 remote-as 65003"],
    "snmp-server location x",
  ];
  expect(after(ios, lines, iosRules)).toBe(`Building configuration...

!
hostname R2
!
interface Gi0/1
 shutdown
!
interface Gi0/2
 shutdown
!
interface Lo0
 ip address 192.0.2.9 255.255.255.255
!
router bgp 65001
 neighbor 10.0.0.2 remote-as 65002
 neighbor 10.0.0.3 remote-as 65003
 !
 address-family ipv4
  neighbor 10.0.0.2 activate
 exit-address-family
!
ntp server 192.0.2.1
ntp server 192.0.2.2
snmp-server location x
!
end
`);
});

test("blocks keep the order of their entries, and a new one its place", () => {
  const text = `config firewall policy
    edit 1
        set name "a"
    next
    edit 2
        set name "b"
    next
end
`;
  const lines = [
    "config firewall policy",
    "edit 3",
    'set name "c"',
    "next",
    "move 3 before 1",
    "delete 2",
    "end",
  ];
  expect(
    after(text, [...lines, "config system dns", "set primary 192.0.2.1", "end"], fortiosRunning),
  ).toBe(`config firewall policy
    edit 3
        set name "c"
    next
    edit 1
        set name "a"
    next
end
config system dns
    set primary 192.0.2.1
end
`);
});

test("a list is one line, and its values have sections of their own", () => {
  const text = "vlan 1,10,21\nvlan 21\n  name voice\ninterface Vlan10\n  no shutdown\n";
  expect(after(text, ["vlan 30", "vlan 21", " name guests"], nxosRunning)).toBe(
    "vlan 1,10,21,30\nvlan 21\n  name guests\ninterface Vlan10\n  no shutdown\n",
  );
});

test("paths are written in braces as their text was", () => {
  const junos = `version 20;
system {
    host-name R1;
    services {
        ssh;
    }
}
interfaces {
    ge-0/0/0 {
        unit 0 {
            family inet {
                address 10.0.0.1/24;
            }
        }
    }
}
`;
  const paths = takePaths(junos, junosRunning);
  const { take } = paths.cursor();
  for (const line of [
    "set system host-name R2",
    "set interfaces ge-0/0/1 unit 0 family inet address 10.1.0.1/24",
    "deactivate interfaces ge-0/0/0",
    "set system services netconf ssh",
  ])
    take(line);
  expect(paths.braces()).toBe(`system {
    host-name R2;
    services {
        ssh;
        netconf {
            ssh;
        }
    }
}
interfaces {
    inactive: ge-0/0/0 {
        unit 0 {
            family inet {
                address 10.0.0.1/24;
            }
        }
    }
    ge-0/0/1 {
        unit 0 {
            family inet {
                address 10.1.0.1/24;
            }
        }
    }
}
`);
  expect(takePaths(paths.braces(), junosRunning).commands()).toBe(paths.commands());
  const vyos = takePaths(
    "interfaces {\n    ethernet eth0 {\n        address 10.0.0.1/24\n    }\n}\n",
    vyosRunning,
  );
  vyos.cursor().take("set interfaces ethernet eth1 address 10.2.0.1/24");
  expect(vyos.braces()).toContain("    ethernet eth1 {\n        address 10.2.0.1/24\n    }\n");
});

test("a value whose section has vanished is still in its list", () => {
  const ofName = ["vlan 20", "no name", "exit"];
  expect(after("vlan 20\n   name x\n!\nhostname a\n", ofName, eosRunning)).toBe("vlan 20\nhostname a\n");
  expect(after("vlan 10\n!\nvlan 20\n   name x\n", ofName, eosRunning)).toBe("vlan 10,20\n!\n");
  expect(after("vlan 20\n   name x\n", ["vlan 22,30", "exit"], eosRunning)).toContain("vlan 22,30\n");
});
