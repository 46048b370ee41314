/** Endace probes (EndaceProbe, OSm). */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, hostName } from "./family/family.ts";

const name = `${hostName}(?: \\[[^\\]\\n]{1,80}\\])?`;

export default {
  api: 1,
  kind: "platform",
  name: "endace",
  levels: {
    exec: { prompt: new RegExp(`${name} ?> ?`), example: "R1 > " },
    privileged: {
      prompt: new RegExp(`${name} ?# ?`),
      example: "R1 # ",
      from: "exec",
      enter: "enable",
      leave: "disable",
      asks: /password:\s*$/i,
      refused: /^\s*% ?(?:Access denied|Incorrect|Invalid)/im,
    },
    config: {
      prompt: new RegExp(`${name} ?\\([^()\\n]{1,100}\\) ?# ?`),
      example: "R1 (config) # ",
      from: "privileged",
      enter: "configure terminal",
      leave: "exit",
    },
  },
  home: "privileged",
  config: "config",
  prepare: ["no cli session paging enable"],
  errors: ciscoErrors,
  // Asked if other users are in configuration mode.
  questions: [{ ask: /to enter configuration mode anyway[^\n]*$/i, reply: "YES" }],
  saveLevel: "config",
  save: [{ send: "configuration write", failed: /^\s*%/m }],
  simulated: { refusal: '% Unrecognized command "bogus".\nType "?" for help.' },
  unsure: [
    "prompts and refusals",
    "the pager, which is disabled",
    "answer to a wrong enable password; usually none is required",
  ],
} satisfies PlatformPlugin;
