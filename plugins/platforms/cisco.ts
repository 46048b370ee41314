/** Cisco IOS and IOS-XE, NX-OS, IOS-XR. */
import type { Candidate, PlatformPlugin, Question } from "patchbay/plugin";
import {
  banners,
  ciscoErrors,
  ciscoLevels,
  ciscoPrepare,
  ciscoStyle,
  hostName,
  iosBlocks,
  morePager,
  quotingKeys,
  shellPrompt,
} from "./family/family.ts";
import { iosDialogues, iosModes, nxosModes, xrModes } from "./family/modes.ts";
import { iosReads, nxosReads, xrReads } from "./family/reads.ts";
import { iosRunning, nxosRunning, xrRunning } from "./family/running.ts";
import { iosWays, nxosWays, xrWays } from "./family/ways.ts";

const ios: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "cisco_ios",
  aliases: ["cisco_xe", "cisco_ios_xe", "cisco_iosxe"],
  detect: [
    {
      send: "show version",
      says: /Cisco IOS Software|Cisco Internetwork Operating System Software|Cisco IOS XE Software/i,
      vague: true,
    },
  ],
  levels: {
    // Must precede the config level, which matches any parentheses; `end` is unknown in this mode.
    vlanDatabase: {
      prompt: new RegExp(`${hostName}\\(vlan\\)# ?`),
      example: "R1(vlan)#",
      from: "privileged",
      enter: "vlan database",
      leave: "exit",
    },
    ...ciscoLevels,
    guestshell: {
      prompt: /\[[^\]\n]{1,120}\] ?[$#] ?/,
      example: "[guestshell@guestshell ~]$ ",
      from: "privileged",
      enter: "guestshell",
      leave: "exit",
    },
  },
  home: "privileged",
  config: "config",
  prepare: ciscoPrepare,
  errors: ciscoErrors,
  pager: morePager,
  keys: quotingKeys,
  blocks: iosBlocks,
  pipelines: true,
  questions: [{ ask: /\[confirm\]\s*$/i, reply: "" }],
  save: [
    {
      send: "write memory",
      questions: [
        // Asked if another software version wrote the startup configuration.
        { ask: /Overwrite the previous NVRAM configuration\?\s*\[confirm\]/i, reply: "" },
        { ask: /Destination filename \[[^\]]*\]\?/i, reply: "" },
      ],
      failed: /^%(?! ?Warning)|startup-config file open failed|not enough space/im,
    },
  ],
  running: iosRunning,
  reads: iosReads,
  undo: [
    {
      way: "confirmed_commit",
      // The revert timer requires an archive.
      when: {
        send: "show archive",
        says: /^(?:The maximum archive configurations|There are currently \d+ archive)/,
      },
      timer: { mostMinutes: 120 },
      enter: "configure terminal revert timer {minutes}",
      keep: [{ send: "configure confirm", failed: /^%(?! ?Warning)/m }],
      extend: [{ send: "configure revert timer {minutes}", failed: /^%(?! ?Warning)/m }],
      back: [{ send: "configure revert now", failed: /^%(?! ?Warning)/m }],
    },
    {
      way: "replace",
      before: [
        {
          send: "copy running-config flash:{name}",
          questions: [{ ask: /Destination filename \[[^\]]*\]\?\s*$/i, reply: "" }],
          success: /bytes copied|\[OK/,
        },
      ],
      back: [
        {
          send: "configure replace flash:{name} force",
          success: /Rollback Done|Total number of passes: \d/,
        },
      ],
      clean: [
        {
          send: "delete /force flash:{name}",
          questions: [{ ask: /Delete filename \[[^\]]*\]\?\s*$/i, reply: "" }],
          failed: /^%/m,
        },
      ],
    },
  ],
  simulated: { modes: iosModes, pipes: "ios", dialogues: iosDialogues, ways: iosWays, nameWidth: 20 },
  legacySsh: true,
  files: {
    by: ["scp"],
    hash: { algorithm: "md5", command: "verify /md5 {path}", match: /= ([0-9a-f]{32})/i },
    enable: ["ip scp server enable"],
  },
};

const nxos: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "cisco_nxos",
  aliases: ["cisco_nx_os"],
  detect: [{ send: "show version", says: /Cisco Nexus Operating System|NX-OS/i }],
  levels: {
    // `R1%tenant#` in the routing context of a VRF.
    ...ciscoStyle({ name: `${hostName}(?:%[\\w.:-]{1,64})?`, marks: "sys" }),
    shell: {
      prompt: shellPrompt,
      example: "bash-4.3$ ",
      from: "privileged",
      enter: "run bash",
      leave: "exit",
    },
  },
  // A device context (`switchto vdc`) only changes the host name.
  context: {
    pattern: /^[^%\n]{1,160}%([\w.:-]{1,64})[>#(]/,
    enter: "routing-context vrf {context}",
    leave: "routing-context vrf default",
  },
  home: "privileged",
  config: "config",
  prepare: ciscoPrepare,
  errors: [...ciscoErrors, /^(?:ERROR:|Syntax error while parsing|% ?(?:String exceeded|Cannot|Not ))/m],
  pager: morePager,
  keys: quotingKeys,
  blocks: banners,
  pipelines: true,
  save: [
    {
      send: "copy running-config startup-config",
      // The rest of that line is the reason: the system is not ready, or another user saves.
      failed: /^(?:%|Copy failed|ERROR)|Configuration update aborted/im,
    },
  ],
  running: nxosRunning,
  reads: nxosReads,
  undo: [
    {
      way: "checkpoint",
      before: [{ send: "checkpoint {name}", failed: /^\s*(?:ERROR|Error|Failed|%)/m }],
      // Without `atomic`, a failing line would leave a partial rollback.
      back: [
        {
          send: "rollback running-config checkpoint {name} atomic",
          failed: /Rollback failed|^\s*(?:ERROR|Failed)/im,
        },
      ],
      clean: [{ send: "no checkpoint {name}", failed: /^\s*(?:ERROR|Error|Failed|%)/m }],
    },
  ],
  simulated: {
    modes: nxosModes,
    ways: nxosWays,
    pipes: "nxos",
    contexts: [
      { enter: /^switchto vdc (\S+)$/, name: "R1-$1", leave: /^switchback$/ },
      {
        enter: /^routing-context vrf (?!default$)(\S+)$/,
        name: "R1%$1",
        leave: /^routing-context vrf default$/,
      },
    ],
    dialogues: [
      { line: /^reload$/, asks: [{ text: "This command will reboot the system. (y/n)?  [n] " }] },
      {
        line: /^write erase$/,
        asks: [
          {
            text: "Warning: This command will erase the startup-configuration.\r\nDo you wish to proceed anyway? (y/n)  [n] ",
          },
        ],
      },
    ],
  },
  files: {
    by: ["scp", "sftp"],
    hash: { algorithm: "md5", command: "show file {path} md5sum", match: /\b([0-9a-f]{32})\b/i },
  },
};

const xrStyle = ciscoStyle({ marks: "admin" });

/** Does not override commits that others made meanwhile. Large commits take minutes. */
const xrAsks: readonly Question[] = [
  { ask: /Do you wish to proceed[^\n]*\?[^\n]*:?\s*$/i, reply: "no" },
  { ask: /Confirm\?\s*\[y\/n\]\s*\[confirm\]\s*$/i, reply: "y" },
];

const xrCandidate: Candidate = {
  own: true,
  diff: "show commit changes diff",
  commit: [{ send: "commit", questions: xrAsks }],
  commitComment: [{ send: "commit comment {comment}", questions: xrAsks }],
  explain: "show configuration failed",
  discard: [{ send: "clear" }],
  failed: [/^% ?Failed to commit/m, /One or more commits have occurred/],
};

const xr: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "cisco_xr",
  aliases: ["cisco_ios_xr", "cisco_iosxr"],
  detect: [{ send: "show version", says: /Cisco IOS XR/i }],
  levels: {
    ...xrStyle,
    privileged: { ...xrStyle.privileged, example: "RP/0/RP0/CPU0:R1#" },
    config: {
      ...xrStyle.config,
      example: "RP/0/RP0/CPU0:R1(config)#",
      leaveQuestions: [
        {
          ask: /Uncommitted changes found[^\n]*\?[^\n]*:?\s*$/i,
          example: "Uncommitted changes found, commit them before exiting(yes/no/cancel)? [cancel]:",
          reply: "no",
        },
      ],
    },
    // The admin plane of the chassis; on the 64-bit system a separate VM: `sysadmin-vm:0_RP0#`.
    admin: {
      prompt: new RegExp(`${hostName}\\(admin\\)# ?|sysadmin-vm:[\\w/]{1,20}# ?`),
      example: "RP/0/RP0/CPU0:R1(admin)#",
      from: "privileged",
      enter: "admin",
      leave: "exit",
    },
    adminConfig: {
      prompt: new RegExp(
        `${hostName}\\(admin-config[^()\\n]{0,64}\\)# ?|sysadmin-vm:[\\w/]{1,20}\\([^()\\n]{1,64}\\)# ?`,
      ),
      example: "RP/0/RP0/CPU0:R1(admin-config)#",
      from: "admin",
      enter: "configure",
      leave: "end",
    },
    shell: {
      prompt: shellPrompt,
      example: "[xr-vm_node0_RP0_CPU0:~]$ ",
      from: "privileged",
      enter: "run",
      leave: "exit",
    },
  },
  home: "privileged",
  config: "config",
  prepare: ciscoPrepare,
  errors: ciscoErrors,
  pager: morePager,
  keys: quotingKeys,
  blocks: banners,
  candidate: xrCandidate,
  running: xrRunning,
  reads: xrReads,
  undo: [
    {
      way: "confirmed_commit",
      timer: { mostMinutes: 1092 },
      // Leaving the configuration, or ending the session, reverts a pending commit at once.
      within: "do {command}",
      candidate: {
        ...xrCandidate,
        confirm: [{ send: "commit confirmed minutes {minutes}", questions: xrAsks }],
      },
      keep: [{ send: "commit", questions: xrAsks }],
      back: [
        {
          send: "end",
          questions: [{ ask: /Do you wish to exit\?[^\n]*$/i, reply: "yes" }],
        },
      ],
    },
  ],
  terminal: { cols: 511, rows: 511 },
  simulated: { modes: xrModes, ways: xrWays, pipes: "nxos" },
};

export default [ios, nxos, xr] satisfies PlatformPlugin[];
