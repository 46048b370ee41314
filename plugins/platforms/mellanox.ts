/** NVIDIA (Mellanox) MLNX-OS and Onyx. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoLevels, hostName } from "./family.ts";

const name = `${hostName} ?(?:\\[[^\\]\\n]{1,120}\\] ?)?`;

export default {
  api: 1,
  kind: "platform",
  name: "mellanox_mlnxos",
  aliases: ["mellanox"],
  detect: [{ send: "show version", says: /Onyx|SX_PPC_M460EX/i }],
  levels: {
    exec: { prompt: new RegExp(`${name}> ?`), example: "R1 > " },
    privileged: { ...ciscoLevels.privileged, prompt: new RegExp(`${name}# ?`), example: "R1 # " },
    config: {
      ...ciscoLevels.config,
      prompt: new RegExp(`${name}\\([^()\\n]{1,100}\\) ?# ?`),
      example: "R1 (config) # ",
      // Leads up by one context; it is sent until the configuration is left.
      leave: "exit",
    },
  },
  home: "privileged",
  config: "config",
  prepare: ["no cli session paging enable"],
  errors: [/^\s*% (?:Unrecognized|Invalid|Incomplete|Ambiguous|Unknown)/m],
  pager: { prompt: /lines \d+-\d+(?:\/\d+)?(?: \(END\))?/, press: " ", example: "lines 1-23" },
  saveLevel: "config",
  save: [{ send: "configuration write", failed: /^\s*%|fail|error/im }],
  simulated: { refusal: '% Unrecognized command "bogus".' },
  unsure: ["refusals"],
} satisfies PlatformPlugin;
