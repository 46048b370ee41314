/** Of Juniper and of makers of switches: see systems.test.ts. */
import type { System } from "./systems.ts";

export const switchesSystems: readonly System[] = [
  {
    name: "juniper_junos",
    source: "Junos OS CLI User Guide, User Access and Authentication Guide",
    show: "show configuration",
    head: [
      "## Last commit: 2026-11-02 10:00:00 UTC by ada",
      "## Last commit: 2026-11-02 10:00:00 UTC by ada",
    ],
    body: `version 22.4R1.10;
system {
    host-name j1;
    root-authentication {
        encrypted-password "«$6$abcd$efghijklmnopqrstuvwxyz»"; ## SECRET-DATA
    }
    radius-server {
        192.0.2.5 secret "«$9$abcdefghijklm»"; ## SECRET-DATA
    }
}
snmp {
    community «junos-word» {
        authorization read-only;
    }
}
protocols {
    bgp {
        group G {
            authentication-key "«$9$bcdefghijklmn»"; ## SECRET-DATA
        }
    }
}
security {
    ike {
        policy P {
            pre-shared-key ascii-text "«$9$cdefghijklmno»"; ## SECRET-DATA
        }
    }
}`,
    by: { user: "ada", at: "2026-11-02 10:00:00 UTC" },
    change: ["host-name j1;", "host-name j2;"],
  },
  {
    name: "juniper_junos",
    source: "Junos OS CLI User Guide: display set",
    show: "show configuration | display set",
    part: "set",
    body: `set version 22.4R1.10
set system host-name j1
set system root-authentication encrypted-password "«$6$abcd$efghijklmnopqrstuvwxyz»"
set snmp community «junos-word» authorization read-only
set protocols bgp group G authentication-key "«$9$bcdefghijklmn»"
set system tacplus-server 192.0.2.6 secret "«$9$defghijklmnop»"`,
    change: ["host-name j1", "host-name j2"],
  },
  {
    name: "arista_eos",
    source: "Arista EOS User Manual",
    show: "show running-config",
    startup: "show startup-config",
    head: [
      "! Command: show running-config\n! device: sw1 (DCS-7050SX, EOS-4.28.3M)\n!",
      "! Command: show running-config\n! device: sw1 (DCS-7050SX, EOS-4.28.3M)\n!",
    ],
    startupHead:
      "! Command: show startup-config\n! Startup-config last modified at  Mon Nov  2 10:00:00 2026 by ada\n! device: sw1 (DCS-7050SX, EOS-4.28.3M)\n!",
    body: `hostname sw1
username ada privilege 15 secret sha512 «$6$abcd$efghijklmnopqrstuvwxyz»
snmp-server community «eos-word» ro
tacacs-server key 7 «070C285F4D06»
router bgp 65001
   neighbor 192.0.2.2 password 7 «13061E010803»
ntp authentication-key 1 sha1 7 «02050D480809»
!
end`,
    change: ["hostname sw1", "hostname sw2"],
  },
  {
    name: "huawei",
    source: "Huawei CloudEngine and NE40E Command Reference",
    show: "display current-configuration",
    startup: "display saved-configuration",
    startupHead:
      "!Software Version V200R019C10SPC800\n!Last configuration was saved at 2026-11-02 10:01:00+00:00 by ada\n#",
    head: [
      "!Software Version V200R019C10SPC800\n!Last configuration was updated at 2026-11-02 10:00:00+00:00 by ada\n!Last configuration was saved at 2026-11-02 10:01:00+00:00 by ada\n#",
      "!Software Version V200R019C10SPC800\n!Last configuration was updated at 2026-11-02 10:00:00+00:00 by ada\n!Last configuration was saved at 2026-11-02 11:01:00+00:00 by ada\n#",
    ],
    body: `sysname sw1
snmp-agent community read cipher «%^%#abcdefghijklmnopqrstuvwx%^%#»
aaa
 local-user ada password irreversible-cipher «$1c$abcdefgh$ijklmnopqrstuvwxyz$»
hwtacacs-server template T
 hwtacacs-server shared-key cipher «%^%#bcdefghijklmnopqrstuvwxy%^%#»
bgp 65001
 peer 192.0.2.2 password cipher «%^%#cdefghijklmnopqrstuvwxyz%^%#»
user-interface vty 0 4
 set authentication password cipher «%^%#defghijklmnopqrstuvwxyza%^%#»
#
return`,
    by: { user: "ada", at: "2026-11-02 10:00:00+00:00" },
    change: ["sysname sw1", "sysname sw2"],
  },
  {
    name: "hp_comware",
    source: "HPE FlexNetwork 5130 Security and Network Management Command References",
    show: "display current-configuration",
    startup: "display saved-configuration",
    body: `#
 version 7.1.070, Release 3507
#
 sysname sw1
#
 snmp-agent community read cipher «$c$3$abcdefghijklmnop»
#
radius scheme R
 key authentication cipher «$c$3$bcdefghijklmnopq»
#
local-user ada class manage
 password hash «$h$6$cdefghij$klmnopqrstuvwxyz»
#
 super password role network-admin hash «$h$6$defghijk$lmnopqrstuvwxyza»
#
return`,
    change: [" sysname sw1", " sysname sw2"],
  },
  {
    name: "hp_procurve",
    source: "HPE ArubaOS-Switch Management and Access Security Guides",
    show: "show running-config",
    startup: "show config",
    head: ["\nRunning configuration:\n", "\nRunning configuration:\n"],
    startupHead: "\nStartup configuration: 12\n",
    body: `; J9729A Configuration Editor; Created on release #WB.16.10.0009
; Ver #14:01.4f.f8.1d:a7
hostname "sw1"
snmp-server community "«aos-word»" operator
snmp-server host 192.0.2.3 community "«trap-word»"
radius-server host 192.0.2.5 encrypted-key "«abcdefghijklmnopqrstuvwxyz»"
tacacs-server key "«tac-word»"
password manager user-name "ada" sha1 "«5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8»"
vlan 1`,
    change: ['hostname "sw1"', 'hostname "sw2"'],
  },
  {
    name: "aruba_aoscx",
    source: "AOS-CX Fundamentals and Security Guides",
    show: "show running-config",
    startup: "show startup-config",
    head: [
      "Current configuration:\n!\n!Version ArubaOS-CX FL.10.10.1010\n!export-password: default",
      "Current configuration:\n!\n!Version ArubaOS-CX FL.10.10.1010\n!export-password: default",
    ],
    startupHead: "Startup configuration:\n!\n!Version ArubaOS-CX FL.10.10.1010\n!export-password: default",
    body: `hostname cx1
user ada group administrators password ciphertext «AQBapabcdefghijklmnop»
radius-server host 192.0.2.5 key ciphertext «AQBapbcdefghijklmnopq»
snmp-server community «cx-word»
snmpv3 user u auth sha auth-pass ciphertext «AQBapcdefghijklmnopqr» priv aes priv-pass ciphertext «AQBapdefghijklmnopqrs»
router bgp 65001
    neighbor 192.0.2.2 password ciphertext «AQBapefghijklmnopqrst»
vlan 1`,
    change: ["hostname cx1", "hostname cx2"],
  },
  {
    name: "aruba_os",
    source: "ArubaOS 8 CLI Reference Guide (controllers)",
    show: "show running-config",
    startup: "show startup-config",
    head: ["Building Configuration...", "Building Configuration..."],
    body: `version 8.10
hostname "mc1"
enable secret "«ee1d9d5b01f7a6bf3f8f4f0c3f7a2b»"
mgmt-user admin root «8d5d1a2b01f7a6bf3f8f4f0c3f7a2b3c»
aaa authentication-server radius "R"
   host "192.0.2.5"
   key «91b9e0a1b2c3d4e5f60718»
wlan ssid-profile "office"
   wpa-passphrase «wpa-word-1»
snmp-server community "«mc-word»" view ALL
end`,
    change: ['hostname "mc1"', 'hostname "mc2"'],
  },
];
