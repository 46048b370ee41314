/** Dell switches: OS9 (Force10), OS6 (N series), OS10 (SmartFabric), PowerConnect. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoBlankLevels, ciscoErrors, ciscoLevels, ciscoStyle, morePager } from "./family/family.ts";
import { os10Modes } from "./family/modes.ts";
import { rosErrors, rosLogin, rosOverwrite, rosPager } from "./family/ros.ts";
import { fastpathRunning, os9Running, os10Running } from "./family/running.ts";

const base = {
  api: 1,
  kind: "platform",
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
} satisfies Partial<PlatformPlugin>;

const os9: PlatformPlugin = {
  ...base,
  name: "dell_os9",
  aliases: ["dell_dnos9", "dell_force10"],
  detect: [
    { send: "show version", says: /Real Time Operating System Software/i },
    {
      send: "show system",
      says: /Dell Application Software Version\s*:\s*9|Dell Networking OS Version\s*:\s*9|Dell EMC Networking OS Version\s*:\s*9/i,
    },
  ],
  levels: { ...ciscoLevels, config: { ...ciscoLevels.config, example: "R1(conf)#" } },
  // Asked if `login banner acknowledge enable` is configured.
  login: [{ ask: /y\/n\s*[\])]?\s*[?:]?\s*$/i, reply: "y" }],
  prepare: ["terminal length 0"],
  running: os9Running,
  errors: [/^\s*% ?Error:/m, ...ciscoErrors],
  pager: morePager,
  questions: [{ ask: /\[(?:confirm )?yes\/no\]\s*:?\s*$/i, reply: "yes" }],
  save: [{ send: "write memory", failed: /^\s*% ?Error/m }],
  simulated: { refusal: '% Error: Invalid input at "^" marker.' },
  legacySsh: true,
};

/** Hyphens and trailing words of the pager, as on all FASTPATH systems. */
const fastpathPager = {
  prompt: /--More--(?: or \(q\)uit)?/i,
  press: " ",
  example: "--More-- or (q)uit",
} as const;

const fastpathErrors = [
  ...ciscoErrors,
  /^(?:Command not found|Incomplete command|An invalid interface has been used)/m,
];

const fastpathSave = {
  ask: /Are you sure you want to save\?\s*\(y\/n\)\s*$/i,
  example: "Are you sure you want to save? (y/n) ",
  reply: "y",
} as const;

const os6: PlatformPlugin = {
  ...base,
  name: "dell_os6",
  aliases: ["dell_dnos6"],
  levels: { ...ciscoBlankLevels, config: { ...ciscoLevels.config, enter: "configure" } },
  prepareAt: { level: "privileged", commands: ["terminal length 0"] },
  running: fastpathRunning,
  errors: fastpathErrors,
  pager: fastpathPager,
  questions: [{ ask: /\(y\/n\)\s*[?:]?\s*$/i, reply: "y" }],
  save: [
    {
      send: "copy running-config startup-config",
      questions: [fastpathSave],
      failed: /^\s*%|fail|could not|not saved/im,
    },
  ],
  simulated: { saved: "Configuration Saved!" },
  legacySsh: true,
  unsure: ["answer to a wrong enable password"],
};

const powerconnect: PlatformPlugin = {
  ...base,
  name: "dell_powerconnect",
  detect: [{ send: "show system", says: /PowerConnect/i }],
  levels: { ...ciscoBlankLevels, config: { ...ciscoLevels.config, enter: "configure" } },
  login: rosLogin,
  // Two families share the name: 3500 and 5500 accept the first command, 6200 to 8100 the second.
  prepareAt: { level: "privileged", commands: ["terminal datadump", "terminal length 0"] },
  errors: [...rosErrors, ...fastpathErrors.slice(ciscoErrors.length)],
  pager: {
    prompt: new RegExp(`${rosPager.prompt.source}|${fastpathPager.prompt.source}`, "i"),
    press: " ",
    example: fastpathPager.example,
  },
  questions: [{ ask: /\(y\/n\)\s*[?:]?\s*$/i, reply: "y" }],
  save: [
    {
      send: "copy running-config startup-config",
      questions: [rosOverwrite, { ask: fastpathSave.ask, reply: fastpathSave.reply }],
      failed: /^\s*%(?!COPY-[IN])|copy (?:operation has )?failed|could not|not saved/im,
    },
  ],
  simulated: { saved: "Copy succeeded" },
  legacySsh: true,
  unsure: ["that one definition suits both families"],
};

const os10: PlatformPlugin = {
  ...base,
  name: "dell_os10",
  detect: [
    {
      send: "show version",
      says: /Dell EMC Networking OS10.Enterprise|Dell SmartFabric OS10[\s*|-]Enterprise/i,
    },
  ],
  levels: {
    ...ciscoStyle({ blank: " " }),
  },
  prepare: ["terminal length 0"],
  running: os10Running,
  errors: [/^\s*% ?Error:/m, ...ciscoErrors],
  pager: morePager,
  questions: [{ ask: /\[(?:confirm )?yes\/no(?:\(\w+\))?\]\s*:?\s*$/i, reply: "yes" }],
  save: [{ send: "copy running-configuration startup-configuration", failed: /^\s*% ?Error|copy failed/im }],
  simulated: { refusal: "% Error: Unrecognized command.", saved: "Copy completed", modes: os10Modes },
  files: {
    by: ["scp"],
    hash: { algorithm: "md5", command: 'system "md5sum {path}"', match: /\b([0-9a-f]{32})\b/i },
  },
  unsure: ["running: that nothing marks the end", "files.hash: computed in the Linux shell"],
};

export default [os9, os6, powerconnect, os10];
