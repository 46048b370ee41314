/** Enterasys (Extreme) S, K, B and C series. */
import type { PlatformPlugin } from "patchbay/plugin";
import { morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "enterasys",
  levels: {
    // `R1(su)->`: the parentheses contain the level of the login.
    exec: { prompt: /[^\s()<>][^()<>\n]{0,100}\((?:su|rw|ro)\)-> ?/, example: "R1(su)->" },
    // S, K and 7100: routing is configured in the chassis mode.
    chassis: {
      prompt: /[^\s()<>][^()<>\n]{0,100}\((?:su|rw)-config[^()\n]{0,64}\)-> ?/,
      example: "R1(su-config)->",
      from: "exec",
      enter: "configure",
      leave: "exit",
    },
    // The prompt must end in a sign: `R1(su)->router` alone is an echoed command.
    router: {
      prompt: /[^\s()<>][^()<>\n]{0,100}\((?:su|rw|ro)\)->router(?:\([^()\n]{1,64}\))?[#>] ?/,
      example: "R1(su)->router>",
      from: "exec",
      enter: "router",
      leave: "exit",
    },
  },
  home: "exec",
  prepare: ["set length 0"],
  errors: [
    /^\s*(?:Error:|Unknown command|Invalid (?:command|parameter|argument)|Ambiguous|Command incomplete|% ?Invalid)/im,
  ],
  pager: morePager,
  // Each command takes effect and persists.
  save: [],
  simulated: { refusal: "Unknown command bogus", rename: "set system name {name}" },
  legacySsh: true,
  unsure: [
    "the prompts of router mode and configuration mode",
    "refusals",
    "no save: `set` commands persist",
  ],
} satisfies PlatformPlugin;
