/** Of Cisco: see systems.test.ts. */
import type { System } from "./systems.ts";

export const ciscoSystems: readonly System[] = [
  {
    name: "cisco_ios",
    source: "Cisco IOS Configuration Fundamentals Command Reference, Security Command Reference",
    show: "show running-config",
    startup: "show startup-config",
    head: [
      "Building configuration...\n\nCurrent configuration : 1300 bytes\n!\n! Last configuration change at 10:00:01 UTC Mon Nov 2 2026 by ada\n! NVRAM config last updated at 09:00:00 UTC Mon Nov 2 2026 by bob\n!",
      "Building configuration...\n\nCurrent configuration : 1301 bytes\n!\n! No configuration change since last restart\n!",
    ],
    startupHead:
      "Using 1300 out of 262136 bytes\n!\n! Last configuration change at 10:00:01 UTC Mon Nov 2 2026 by ada\n!",
    body: `hostname r1
enable secret 9 «$9$abcdefghijklmn$opqrstuvwxyz0123456789»
enable password 7 «0822455D0A16»
username ada privilege 15 secret 5 «$1$abcd$efghijklmnopqrstuvwxy0»
key chain RIP
 key 1
  key-string 7 «070C285F4D06»
crypto isakmp key «isakmp-word» address 192.0.2.9
interface GigabitEthernet0/1
 ip ospf message-digest-key 1 md5 7 «13061E010803»
 ppp chap password 0 «chap-word»
 standby 1 authentication md5 key-string 7 «1511021F0725»
router bgp 65001
 neighbor 192.0.2.2 password 7 «02050D480809»
snmp-server community «community-word» RO 10
snmp-server host 192.0.2.3 version 2c «trap-word»
radius server R
 key 7 «0110130F5A05»
tacacs-server key 7 «060506324F41»
ntp authentication-key 1 md5 «0508571C22431F5B» 7
line vty 0 4
 password 7 «045802150C2E»`,
    foot: ["ntp clock-period 17179870\n!\nend", "ntp clock-period 17179901\n!\nend"],
    startupFoot: "!\nend",
    by: { user: "ada", at: "10:00:01 UTC Mon Nov 2 2026" },
    change: ["hostname r1", "hostname r2"],
  },
  {
    name: "cisco_xe",
    source: "Cisco IOS XE Programmability and Security Configuration Guides",
    show: "show running-config",
    startup: "show startup-config",
    startupHead: "Using 9001 out of 262136 bytes\n!\n!",
    head: [
      "Building configuration...\n\nCurrent configuration : 9001 bytes\n!\n! Last configuration change at 08:15:02 CET Tue Nov 3 2026 by eve\n!",
      "Building configuration...\n\nCurrent configuration : 9002 bytes\n!\n! Last configuration change at 08:15:03 CET Tue Nov 3 2026 by eve\n!",
    ],
    body: `hostname r1
username netconf privilege 15 password 6 «BFWXCTUbPZHAPfb»
license smart proxy password 0 «proxy-word»
aaa group server tacacs+ T
 server-private 192.0.2.4 key 6 «QHFUSGhcdREfBFW»
wlan office 1 office
 security wpa psk set-key ascii 0 «wlan-word-1»
crypto ikev2 keyring K
 peer P
  pre-shared-key local 6 «GPTBQQFZNGbSPTB»
interface Tunnel1
 ip nhrp authentication «nhrp-word»
end`,
    by: { user: "eve", at: "08:15:02 CET Tue Nov 3 2026" },
    change: ["hostname r1", "hostname r2"],
  },
  {
    name: "cisco_nxos",
    source: "Cisco Nexus 9000 NX-OS Fundamentals and Security Configuration Guides",
    show: "show running-config",
    startup: "show startup-config",
    head: [
      "\n!Command: show running-config\n!Running configuration last done at: Fri Nov 20 07:21:54 2026\n!Time: Fri Nov 20 18:20:02 2026\n",
      "\n!Command: show running-config\n!Running configuration last done at: Fri Nov 20 07:21:54 2026\n!Time: Fri Nov 20 18:21:12 2026\n",
    ],
    startupHead:
      "\n!Command: show startup-config\n!Time: Fri Nov 20 18:21:40 2026\n!Startup config saved at: Fri Nov 20 07:30:00 2026\n",
    body: `version 9.3(15) Bios:version 05.45
hostname n9k
username admin password 5 «$5$KLMNOP$abcdefghijklmnopqrstuvwxyz»  role network-admin
snmp-server user admin network-admin auth md5 «0x4b2f8e1d3c5a7b9f» priv «0x5c3f9e2d4c6a8b0f» localizedkey
snmp-server community «group-word» group network-operator
radius-server host 192.0.2.5 key 7 «Fewhg12»
key chain K
  key 1
    key-string 7 «070c285f4d06»
router bgp 65001
  neighbor 192.0.2.2
    password 3 «9125d59c18a9b015»
interface Vlan10
  hsrp 1
    authentication text «hsrp-word»
line vty`,
    by: { at: "Fri Nov 20 07:21:54 2026" },
    change: ["hostname n9k", "hostname n9x"],
  },
  {
    name: "cisco_xr",
    source: "Cisco IOS XR System Security and Routing Command References",
    show: "show running-config",
    head: [
      "Mon Nov  2 10:00:00.123 UTC\nBuilding configuration...\n!! IOS XR Configuration 7.5.2\n!! Last configuration change at Mon Nov  2 09:00:00 2026 by ada",
      "Mon Nov  2 10:05:07.987 UTC\nBuilding configuration...\n!! IOS XR Configuration 7.5.2\n!! Last configuration change at Mon Nov  2 09:00:00 2026 by ada",
    ],
    body: `hostname xr1
username ada
 secret 10 «$6$abcd$efghijklmnopqrstuvwxyz»
!
snmp-server community «xr-word» RO
tacacs-server host 192.0.2.6 port 49
 key 7 «094F471A1A0A»
router isis 1
 lsp-password hmac-md5 encrypted «104D000A0618»
!
router bgp 65001
 neighbor 192.0.2.2
  password encrypted «13061E010803»
!
key chain K
 key 1
  key-string password «14141B180F0B»
!
end`,
    by: { user: "ada", at: "Mon Nov  2 09:00:00 2026" },
    change: ["hostname xr1", "hostname xr2"],
  },
  {
    name: "cisco_asa",
    source: "Cisco ASA Series Command Reference",
    show: "more system:running-config",
    startup: "show startup-config",
    startupHead: ": Saved\n: Written by ada at 10:00:00.001 UTC Mon Nov 2 2026\n!",
    head: [
      ": Saved\n\n: \n: Serial Number: JMX0001\n: Hardware:   ASA5506, 4096 MB RAM\n: Written by ada at 10:00:00.001 UTC Mon Nov 2 2026\n!",
      ": Saved\n\n: \n: Serial Number: JMX0001\n: Hardware:   ASA5506, 4096 MB RAM\n: Written by ada at 11:30:00.002 UTC Mon Nov 2 2026\n!",
    ],
    body: `hostname fw
enable password «$sha512$5000$abcdefgh$ijklmnopqrstuv» pbkdf2
passwd «2KFQnbNIdI.2KYOU» encrypted
username ada password «$sha512$5000$bcdefghi$jklmnopqrstuvw» pbkdf2 privilege 15
snmp-server host inside 192.0.2.7 community «asa-word» version 2c
aaa-server T (inside) host 192.0.2.8
 key «asa-key»
tunnel-group 192.0.2.9 ipsec-attributes
 ikev1 pre-shared-key «psk-word»
failover key «fail-word»`,
    foot: [
      "Cryptochecksum:0123456789abcdef0123456789abcdef\n: end",
      "Cryptochecksum:1123456789abcdef0123456789abcdef\n: end",
    ],
    by: { user: "ada", at: "10:00:00.001 UTC Mon Nov 2 2026" },
    change: ["hostname fw", "hostname fx"],
  },
];
