/** NVIDIA (Mellanox) MLNX-OS and Onyx. */
import type { PlatformPlugin } from "patchbay/plugin";
import { tallMapleLevels } from "./family/tallmaple.ts";

export default {
  api: 1,
  kind: "platform",
  name: "mellanox_mlnxos",
  aliases: ["mellanox"],
  detect: [{ send: "show version", says: /Onyx|SX_PPC_M460EX/i }],
  levels: tallMapleLevels,
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
