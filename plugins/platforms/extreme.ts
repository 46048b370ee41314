/** Extreme Networks: EXOS, SLX-OS, Tierra OS, WiNG. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoOpenLevels, ciscoStyle, hostName, morePager } from "./family/family.ts";
import { exosRunning } from "./family/running.ts";

/** `* (vr red) Slot-1 X440-24t.12 `: unsaved changes, a state or virtual router, name, command number. */
const exosName = "(?:[*!] ?){0,2}(?:\\([^()\\n]{1,40}\\) ?){0,2}[^\\s<>#()*!][^<>#()\\n]{0,80}[.:]\\d{1,6}";

const exos: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "extreme_exos",
  aliases: ["extreme"],
  detect: [{ send: "show version", says: /ExtremeXOS|EXOS/i }],
  levels: {
    user: { prompt: new RegExp(`${exosName} ?> ?`), example: "R1.1 > " },
    // Administrators land here.
    privileged: {
      prompt: new RegExp(`${exosName} ?# ?`),
      example: "R1.1 # ",
      from: "user",
      enter: "enable",
      leave: "disable",
      asks: /pass(?:word)?[^\n]{0,40}:\s*$/i,
      refused: /^\s*(?:Error|Incorrect|% ?Access denied|Access denied)/im,
    },
  },
  home: "privileged",
  context: { pattern: /\(vr ([^()\n]{1,40})\)/, enter: "virtual-router {context}", leave: "virtual-router" },
  prepare: ["disable clipaging", "disable cli prompting"],
  running: exosRunning,
  errors: [/^\s*%% ?(?:Invalid|Incomplete|Ambiguous|Unrecognized)/m, /^\s*Error: /m],
  pager: {
    prompt: /Press <SPACE> to continue or <Q> to quit:?/i,
    press: " ",
    example: "Press <SPACE> to continue or <Q> to quit:",
  },
  questions: [{ ask: /\([yY]\/[nN]\)\s*\??\s*$/, reply: "y" }],
  save: [
    {
      send: "save configuration primary",
      questions: [{ ask: /\([yY]\/[nN]\)\s*\??\s*$/, reply: "y" }],
      failed: /^\s*(?:Error|%%)/m,
    },
  ],
  simulated: {
    refusal: "%% Invalid input detected at '^' marker.",
    saved: "Configuration saved to primary.cfg successfully.",
    rename: "configure snmp sysName {name}",
  },
  files: { by: ["scp", "sftp"] },
  unsure: ["running.secrets of releases before 16"],
};

const spaced = ciscoStyle({ blank: " " });

const slx: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "extreme_slx",
  detect: [{ send: "show version", says: /SLX-OS Operating System/i }],
  levels: {
    privileged: { prompt: spaced.privileged.prompt, example: "R1# " },
    config: spaced.config,
  },
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0"],
  errors: [/^\s*(?:syntax error:|%\s*Error|Error:)/im],
  pager: morePager,
  questions: [{ ask: /\[[yY]\/[nN]\]:?\s*$/, reply: "y" }],
  save: [
    {
      send: "copy running-config startup-config",
      questions: [
        {
          ask: /\[[yY]\/[nN]\]:?\s*$/,
          example: "This operation will modify your startup configuration. Do you want to continue? [y/n]:",
          reply: "y",
        },
      ],
      failed: /^\s*%? ?Error/im,
    },
  ],
  simulated: { refusal: "syntax error: unknown argument.", rename: "switch-attributes host-name {name}" },
  unsure: ["refusals"],
};

const tierra: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "extreme_tierra",
  detect: [{ send: "show version", says: /TierraOS Software/i }],
  levels: ciscoOpenLevels,
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0"],
  errors: ciscoErrors,
  pager: morePager,
  save: [
    {
      send: "copy run flash://config-file/startup-config",
      questions: [{ ask: /[([][yY](?:es)?\/[nN](?:o)?[)\]]\s*\??:?\s*$/, reply: "y" }],
      failed: /^\s*%|fail|error/im,
    },
  ],
  simulated: { lands: "privileged" },
  unsure: ["prompts, refusals and pager: assumed Cisco style"],
};

const wing: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "extreme_wing",
  // A star marks uncommitted changes.
  levels: ciscoStyle({ name: `${hostName}\\*?`, gap: "\\*?" }),
  home: "privileged",
  config: "config",
  prepare: ["terminal width 512", "no page"],
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "write memory", failed: /^\s*%|fail|error/im }],
  simulated: { refusal: "% Invalid input detected at '^' marker." },
  unsure: [
    "refusals",
    "save: `write memory`, not the copy command Netmiko inherits",
    "releases with a candidate need `commit write` as a line of the push",
  ],
};

export default [exos, slx, tierra, wing];
