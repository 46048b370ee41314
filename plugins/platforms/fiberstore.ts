/** FS.com: FSOS on S3900 and S5800, FSOS on S3150 to S3700, NetworkOS. */
import type { PlatformPlugin } from "patchbay/plugin";
import {
  ciscoBlankLevels,
  ciscoErrors,
  ciscoLevels,
  hostName,
  morePager,
  nameChar,
} from "./family/family.ts";

const shared = {
  api: 1,
  kind: "platform",
  home: "privileged",
  config: "config",
  errors: ciscoErrors,
  pager: morePager,
  questions: [{ ask: /[([](?:y\/n|yes\/no)[)\]]\s*\??:?\s*$/i, reply: "y" }],
  legacySsh: true,
} satisfies Partial<PlatformPlugin>;

const unsure = ["prompts, refusals and pager: assumed Cisco style"];

const fsos: PlatformPlugin = {
  ...shared,
  name: "fiberstore_fsos",
  levels: { ...ciscoLevels, config: { ...ciscoLevels.config, enter: "config" } },
  // SSH accepts every login; the shell asks for it.
  login: [
    { ask: /^Username:\s*$/im, example: "Username:", reply: "{username}" },
    { ask: /^Password:\s*$/im, example: "Password:", reply: "{password}" },
  ],
  prepare: ["terminal length 0"],
  save: [{ send: "copy running-config startup-config", failed: /^\s*%|fail|error/im }],
  unsure,
};

/** Older releases append the mode to the name without parentheses: `R1_config#`, `R1_config_g0/1#`. */
const underscored = `${hostName}_config(?:_${nameChar}{1,64})?# ?`;

const fsosv2: PlatformPlugin = {
  ...shared,
  name: "fiberstore_fsosv2",
  detect: [
    {
      send: "show version",
      says: /Fiberstore Co., Limited Internetwork Operating System Software[\s\S]*Version 2.[0-9]*.[0-9]*[\s\S]*/i,
    },
  ],
  levels: {
    ...ciscoBlankLevels,
    config: {
      ...ciscoLevels.config,
      prompt: new RegExp(`${underscored}|${ciscoLevels.config.prompt.source}`),
      enter: "config",
      leave: "exit",
    },
  },
  prepareAt: { level: "privileged", commands: ["terminal width 256", "terminal length 0"] },
  save: [{ send: "write", failed: /^\s*%|fail|error/im }],
  unsure,
};

const networkos: PlatformPlugin = {
  ...shared,
  name: "fiberstore_networkos",
  levels: { ...ciscoBlankLevels, config: { ...ciscoLevels.config, leave: "exit" } },
  prepareAt: { level: "privileged", commands: ["terminal length 0"] },
  save: [{ send: "write memory", failed: /^\s*%|fail|error/im }],
  unsure: [...unsure, "save: Netmiko has none"],
};

export default [fsos, fsosv2, networkos];
