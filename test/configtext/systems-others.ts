/** Of firewalls, carriers and servers: see systems.test.ts. */
import type { System } from "./systems.ts";

export const othersSystems: readonly System[] = [
  {
    name: "fortinet",
    source: "FortiOS CLI Reference",
    show: "show",
    head: [
      "#config-version=FGT60F-7.2.4-FW-build1396-230131:opmode=0:vdom=0:user=ada\n#conf_file_ver=1234567890\n#buildno=1396\n#global_vdom=1",
      "#config-version=FGT60F-7.2.4-FW-build1396-230131:opmode=0:vdom=0:user=bob\n#conf_file_ver=1234567899\n#buildno=1396\n#global_vdom=1",
    ],
    body: `config system global
    set hostname "fw1"
end
config system admin
    edit "ada"
        set password ENC «SH2abcdefghijklmnopqrstuvwxyz=»
    next
end
config vpn ipsec phase1-interface
    edit "p"
        set psksecret ENC «bcdefghijklmnopqrstuvwxyz0123=»
    next
end
config system snmp community
    edit 1
        set name "«forti-word»"
    next
end
config user radius
    edit "R"
        set secret ENC «cdefghijklmnopqrstuvwxyz01234=»
    next
end`,
    change: ['set hostname "fw1"', 'set hostname "fw2"'],
  },
  {
    name: "paloalto_panos",
    source: "PAN-OS CLI Quick Start, Administrator's Guide",
    show: "show config running",
    body: `config {
  mgt-config {
    users {
      admin {
        phash «$5$abcdefgh$ijklmnopqrstuvwxyz»;
      }
    }
  }
  shared {
    server-profile {
      radius {
        R {
          server {
            one {
              secret «-AQ==abcdefghijklmnopqrstuvwxyz»;
            }
          }
        }
      }
    }
    snmp-setting {
      access-setting {
        version {
          v2c {
            snmp-community-string «pan-word»;
          }
        }
      }
    }
  }
  network {
    ike {
      gateway {
        g {
          authentication {
            pre-shared-key {
              key «-AQ==bcdefghijklmnopqrstuvwxyz0»;
            }
          }
        }
      }
    }
    hostname fw1;
  }
}`,
    change: ["hostname fw1", "hostname fw2"],
  },
  {
    name: "mikrotik_routeros",
    source: "MikroTik RouterOS documentation: Configuration Management, export",
    show: "/export terse show-sensitive",
    head: [
      "# 2026-11-02 10:00:00 by RouterOS 7.12\n# software id = AAAA-BBBB\n#\n# model = RB4011iGS+",
      "# 2026-11-03 10:00:07 by RouterOS 7.12\n# software id = AAAA-BBBB\n#\n# model = RB4011iGS+",
    ],
    body: `/interface wireless security-profiles set [ find default=yes ] wpa2-pre-shared-key=«wpa-word-1»
/interface wireguard add name=wg1 private-key="«abcdefghijklmnopqrstuvwxyz0123456789ABCDEF=»"
/ppp secret add name=ada password=«ppp-word»
/snmp community set [ find default=yes ] name=«ros-word»
/radius add address=192.0.2.5 secret=«radius-word» service=login
/ip ipsec identity add peer=p secret=«psk-word»
/routing bgp connection add name=b tcp-md5-key=«bgp-word» remote.address=192.0.2.2
/system identity set name=ros1
/user aaa set use-radius=yes`,
    change: ["name=ros1", "name=ros2"],
  },
  {
    name: "nokia_sros",
    source: "Nokia 7450/7750 SR Classic CLI Command Reference",
    show: "admin show configuration",
    head: [
      "# TiMOS-C-20.10.R1 cpm/hops64 Nokia 7750 SR\n# Built on Wed Oct 28 2020\n\n# Generated MON NOV 02 10:00:00 2026 UTC",
      "# TiMOS-C-20.10.R1 cpm/hops64 Nokia 7750 SR\n# Built on Wed Oct 28 2020\n\n# Generated MON NOV 02 10:05:00 2026 UTC",
    ],
    body: `exit all
configure
    system
        name "sr1"
        security
            password
                admin-password "«$2y$10$abcdefghijklmnopqrstuv»"
            exit
            user "ada"
                password "«$2y$10$bcdefghijklmnopqrstuvw»"
            exit
            snmp
                community "«abcdefghijklm» hash2" r version v2c
            exit
            tacplus
                server 1 address 192.0.2.6 secret "«bcdefghijklmn» hash2"
            exit
        exit
    exit
    router
        bgp
            group "G"
                authentication-key "«cdefghijklmno» hash2"
            exit
        exit
    exit
exit all`,
    foot: ["\n# Finished MON NOV 02 10:00:01 2026 UTC", "\n# Finished MON NOV 02 10:05:01 2026 UTC"],
    by: { at: "MON NOV 02 10:00:00 2026 UTC" },
    change: ['name "sr1"', 'name "sr2"'],
  },
  {
    name: "nokia_sros",
    source: "Nokia MD-CLI User Guide and Command Reference",
    show: "admin show configuration",
    head: [
      "# TiMOS-C-22.10.R1 cpm/x86_64 Nokia 7750 SR\n# Generated 2026-11-02T10:00:00.0+00:00 by ada from 192.0.2.1",
      "# TiMOS-C-22.10.R1 cpm/x86_64 Nokia 7750 SR\n# Generated 2026-11-02T11:00:00.0+00:00 by bob from 192.0.2.2",
    ],
    body: `configure {
    system {
        name "sr1"
        security {
            aaa {
                remote-servers {
                    tacplus {
                        server 1 {
                            secret "«abcdefghijklm» hash2"
                        }
                    }
                }
            }
            snmp {
                community "«bcdefghijklmn» hash2" {
                    access-permissions r
                }
            }
            user-params {
                local-user {
                    user "ada" {
                        password "«$2y$10$abcdefghijklmnopqrstuv»"
                    }
                }
            }
        }
    }
    router "Base" {
        bgp {
            group "G" {
                authentication-key "«cdefghijklmno» hash2"
            }
        }
    }
}
`,
    foot: ["# Finished 2026-11-02T10:00:01.0+00:00", "# Finished 2026-11-02T11:00:01.0+00:00"],
    change: ['name "sr1"', 'name "sr2"'],
  },
  {
    name: "extreme_exos",
    source: "ExtremeXOS Command Reference and User Guide",
    show: "show configuration",
    body: `#
# Module devmgr configuration.
#
configure snmp sysName "x1"
configure account admin encrypted "«$5$abcdef$ghijklmnopqrstuvwxyz»"
#
# Module aaa configuration.
#
configure radius mgmt-access primary shared-secret encrypted "«#$abcdefghijklmnopqrst»"
configure tacacs primary shared-secret encrypted "«#$bcdefghijklmnopqrstu»"
#
# Module snmpMaster configuration.
#
configure snmpv3 add community "«exos-word»" name "«exos-word»" user "v1v2c_ro"
#
# Module ospf configuration.
#
configure bgp neighbor 192.0.2.2 password encrypted "«#$cdefghijklmnopqrstuv»"
configure sntp-client primary 192.0.2.40 vr VR-Default`,
    change: ['sysName "x1"', 'sysName "x2"'],
  },
  {
    name: "dell_os10",
    source: "Dell SmartFabric OS10 User Guide",
    show: "show running-configuration",
    startup: "show startup-configuration",
    head: [
      "! Version 10.5.2.3\n! Last configuration change at Nov  02 10:00:00 2026\n!",
      "! Version 10.5.2.3\n! Last configuration change at Nov  02 10:00:00 2026\n!",
    ],
    startupHead: "! Version 10.5.2.3\n! Last configuration change at Nov  02 09:58:00 2026\n!",
    body: `hostname os10
username ada password «$6$rounds=656000$abcdefgh$ijklmnopqrstuvw» role sysadmin priv-lvl 15
radius-server host 192.0.2.5 key 9 «abcdefghijklmnopqrstuvwxyz0123456789abcd»
snmp-server community «os10-word» ro
snmp-server user u g 3 encrypted auth sha «0x1a2b3c4d5e6f708192a3b4c5d6e7f801» priv aes «0x2a2b3c4d5e6f708192a3b4c5d6e7f801»
router bgp 65001
 neighbor 192.0.2.2
  password 9 «bcdefghijklmnopqrstuvwxyz0123456789abcde»
  remote-as 65002`,
    by: { at: "Nov  02 10:00:00 2026" },
    change: ["hostname os10", "hostname os11"],
  },
  {
    name: "vyos",
    source: "VyOS documentation: Command Line Interface, Configuration Guide",
    show: "show configuration",
    body: `interfaces {
    wireguard wg0 {
        private-key «abcdefghijklmnopqrstuvwxyz0123456789ABCDEF=»
    }
}
protocols {
    bgp {
        neighbor 192.0.2.2 {
            password «bgp-word»
        }
    }
}
service {
    snmp {
        community «vyos-word» {
            authorization ro
        }
    }
}
system {
    host-name vy1
    login {
        user ada {
            authentication {
                encrypted-password «$6$abcd$efghijklmnopqrstuvwxyz»
            }
        }
        radius {
            server 192.0.2.5 {
                key «radius-word»
            }
        }
    }
}`,
    change: ["host-name vy1", "host-name vy2"],
  },
  {
    name: "vyos",
    source: "VyOS documentation: show configuration commands",
    show: "show configuration commands",
    part: "set",
    body: `set interfaces wireguard wg0 private-key '«abcdefghijklmnopqrstuvwxyz0123456789ABCDEF=»'
set protocols bgp neighbor 192.0.2.2 password '«bgp-word»'
set service snmp community «vyos-word» authorization 'ro'
set system host-name 'vy1'
set system login radius server 192.0.2.5 key '«radius-word»'
set system login user ada authentication encrypted-password '«$6$abcd$efghijklmnopqrstuvwxyz»'
set vpn ipsec authentication psk p secret '«psk-word»'`,
    change: ["'vy1'", "'vy2'"],
  },
  {
    name: "frr_vtysh",
    source: "FRRouting User Guide",
    show: "show running-config",
    head: [
      "Building configuration...\n\nCurrent configuration:\n!",
      "Building configuration...\n\nCurrent configuration:\n!",
    ],
    body: `frr version 8.4.4
frr defaults traditional
hostname frr1
password «vty word»
enable password 8 «abcdefghijklm»
!
key chain K
 key 1
  key-string «chain-word»
 exit
exit
!
router bgp 65001
 neighbor 192.0.2.2 remote-as 65002
 neighbor 192.0.2.2 password «bgp word»
exit
!
end`,
    change: ["hostname frr1", "hostname frr2"],
  },
  {
    name: "linux",
    source: "interfaces(5), netplan and NetworkManager keyfile documentation, hostapd.conf",
    show: "cat /etc/network/interfaces",
    body: `# file: /etc/hostname
lin1

# file: /etc/network/interfaces
iface wlan0 inet dhcp
    wpa-psk «wpa-word-1»

# file: /etc/netplan/01.yaml
network:
  wifis:
    w:
      access-points:
        office: {password: «netplan word», mode: infrastructure}

# file: /etc/NetworkManager/system-connections/o.nmconnection
[wifi-security]
psk=«nm-word-1»

# file: /etc/wireguard/wg0.conf
[Interface]
PrivateKey = «abcdefghijklmnopqrstuvwxyz0123456789ABCDEF=»

# end of files`,
    change: ["lin1", "lin2"],
  },
];
