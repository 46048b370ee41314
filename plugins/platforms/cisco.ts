/** Cisco IOS and IOS-XE, NX-OS, IOS-XR. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, ciscoPrepare, morePager } from "./family.ts";

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
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  prepare: ciscoPrepare,
  errors: ciscoErrors,
  pager: morePager,
  questions: [{ ask: /\[confirm\]\s*$/i, reply: "" }],
  save: [
    {
      send: "write memory",
      questions: [
        // The startup configuration was written by another version of the software.
        { ask: /Overwrite the previous NVRAM configuration\?\s*\[confirm\]/i, reply: "" },
        { ask: /Destination filename \[[^\]]*\]\?/i, reply: "" },
      ],
      failed: /^%(?! ?Warning)|startup-config file open failed|not enough space/im,
    },
  ],
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
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  prepare: ciscoPrepare,
  errors: [...ciscoErrors, /^ERROR:/m],
  pager: morePager,
  save: [{ send: "copy running-config startup-config", failed: /^(?:%|Copy failed|ERROR)/im }],
  files: {
    by: ["scp", "sftp"],
    hash: { algorithm: "md5", command: "show file {path} md5sum", match: /\b([0-9a-f]{32})\b/i },
  },
};

const xr: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "cisco_xr",
  aliases: ["cisco_ios_xr", "cisco_iosxr"],
  detect: [{ send: "show version", says: /Cisco IOS XR/i }],
  levels: {
    ...ciscoLevels,
    privileged: { ...ciscoLevels.privileged, example: "RP/0/RP0/CPU0:R1#" },
    config: {
      ...ciscoLevels.config,
      example: "RP/0/RP0/CPU0:R1(config)#",
      leaveQuestions: [
        {
          ask: /Uncommitted changes found[^\n]*\?[^\n]*:?\s*$/i,
          example: "Uncommitted changes found, commit them before exiting(yes/no/cancel)? [cancel]:",
          reply: "no",
        },
      ],
    },
  },
  home: "privileged",
  config: "config",
  prepare: ciscoPrepare,
  errors: ciscoErrors,
  pager: morePager,
  candidate: {
    diff: "show commit changes diff",
    commit: [
      { send: "commit", questions: [{ ask: /Do you wish to proceed[^\n]*\?[^\n]*:?\s*$/i, reply: "no" }] },
    ],
    commitComment: [{ send: "commit comment {comment}" }],
    confirm: [{ send: "commit confirmed minutes {minutes}" }],
    discard: [{ send: "clear" }],
    failed: [/^% ?Failed to commit/m, /One or more commits have occurred/],
  },
  terminal: { cols: 511, rows: 511 },
};

export default [ios, nxos, xr] satisfies PlatformPlugin[];
