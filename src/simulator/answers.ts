/** What a simulated device says by itself: a version, a clock, interfaces, and what a refusal looks like. */
import type { PlatformPlugin } from "../plugin/platform.ts";
import { readTranscripts } from "./transcripts.ts";

export type Answers = ReadonlyMap<string, string>;

const iosVersion = `Cisco IOS Software, C3750E Software (C3750E-UNIVERSALK9-M), Version 15.2(4)E8, RELEASE SOFTWARE (fc1)
Technical Support: http://www.cisco.com/techsupport
Copyright (c) 1986-2019 by Cisco Systems, Inc.
Compiled Tue 12-Mar-19 21:08 by prod_rel_team

ROM: Bootstrap program is C3750E boot loader
BOOTLDR: C3750E Boot Loader (C3750X-HBOOT-M) Version 15.2(3r)E, RELEASE SOFTWARE (fc1)

{hostname} uptime is 5 weeks, 1 day, 2 hours, 30 minutes
System returned to ROM by power-on
System restarted at 07:05:01 UTC Wed Oct 14 2026
System image file is "flash:/c3750e-universalk9-mz.152-4.E8.bin"
Last reload reason: power-on

cisco WS-C3750X-48P (PowerPC405) processor (revision W0) with 262144K bytes of memory.
Processor board ID FDO1628V0PB
Last reset from power-on
3 Virtual Ethernet interfaces
52 Gigabit Ethernet interfaces
The password-recovery mechanism is enabled.

512K bytes of flash-simulated non-volatile configuration memory.
Base ethernet MAC Address       : 44:2B:03:F1:A2:80
Model number                    : WS-C3750X-48P-S
System serial number            : FDO1628V0PB

Configuration register is 0xF`;

const iosBrief = `Interface              IP-Address      OK? Method Status                Protocol
Vlan1                  10.0.0.2        YES NVRAM  up                    up
GigabitEthernet1/0/1   unassigned      YES unset  up                    up
GigabitEthernet1/0/2   unassigned      YES unset  down                  down
Loopback0              192.0.2.1       YES NVRAM  up                    up`;

const common: Readonly<Record<string, string>> = {
  "show version": iosVersion,
  "show ip interface brief": iosBrief,
  "show clock": "*07:05:01.123 UTC Fri Nov 20 2026",
  "show privilege": "Current privilege level is 15",
  "show inventory": `NAME: "1", DESCR: "WS-C3750X-48P-S"
PID: WS-C3750X-48P-S   , VID: V04  , SN: FDO1628V0PB`,
  "show users": `    Line       User       Host(s)              Idle       Location
*  1 vty 0     admin      idle                 00:00:00 192.0.2.200`,
  "show vlan brief": `VLAN Name                             Status    Ports
---- -------------------------------- --------- -------------------------------
1    default                          active    Gi1/0/1, Gi1/0/2
10   users                            active    `,
  "show interfaces description": `Interface                      Status         Protocol Description
Vl1                            up             up       management
Gi1/0/1                        up             up       uplink to core
Gi1/0/2                        down           down     `,
};

const huawei: Readonly<Record<string, string>> = {
  "display version": `Huawei Versatile Routing Platform Software
VRP (R) software, Version 5.170 (S5720 V200R019C00SPC500)
Copyright (C) 2000-2019 HUAWEI TECH Co., Ltd.
HUAWEI S5720-28X-PWR-SI-AC Routing Switch uptime is 5 weeks, 1 day, 2 hours, 30 minutes`,
  "display clock": "2026-11-20 07:05:01\nFriday\nTime Zone(UTC) : UTC+00:00",
};

/** Refusals of well-known systems; a device says the first one that its platform takes for a refusal. */
const refusals = [
  "% Invalid input detected at '^' marker.",
  "Error: Unrecognized command found at '^' position.",
  "                              ^\n % Unrecognized command found at '^' position.",
  "unknown command.",
  "syntax error, expecting <command>.",
  "% Unknown command.",
  "Invalid command",
  "Unknown command",
  "Error: Invalid command",
  "% Bad command",
  "Command not found",
  "bad command name",
  "-bash: bogus: command not found",
];

export function refusalOf(platform: PlatformPlugin): string {
  return (
    platform.simulated?.refusal ??
    refusals.find((text) => platform.errors.some((pattern) => pattern.test(text))) ??
    "% Invalid input detected at '^' marker."
  );
}

/** `display version` is of one family: a system that is known by other commands must not answer as that. */
function isOwn({ detect = [] }: PlatformPlugin, command: string): boolean {
  return (
    !command.startsWith("display ") ||
    detect.length === 0 ||
    detect.some(({ send }) => send.startsWith("display "))
  );
}

/** Built-in answers, and over them the files of a folder: `show version` stands in `show_version.txt`. */
export function loadAnswers(platform: PlatformPlugin, folder: string | undefined): Answers {
  const answers = new Map(
    Object.entries({ ...common, ...huawei }).filter(([command]) => isOwn(platform, command)),
  );
  if (folder === undefined) return answers;
  for (const [command, text] of readTranscripts(folder)) answers.set(command, text);
  return answers;
}
