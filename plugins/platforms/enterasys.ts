/** Enterasys (Extreme) S, K, B and C series. */
import type { PlatformPlugin } from "patchbay/plugin";
import { morePager } from "./family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "enterasys",
  levels: {
    // `R1(su)->`: the level of the login stands between the parentheses.
    exec: { prompt: /[^\s()<>][^()<>\n]{0,100}\((?:su|rw|ro)\)-> ?/, example: "R1(su)->" },
    // S, K and 7100: routing is configured where the chassis is.
    chassis: {
      prompt: /[^\s()<>][^()<>\n]{0,100}\((?:su|rw)-config[^()\n]{0,64}\)-> ?/,
      example: "R1(su-config)->",
      from: "exec",
      enter: "configure",
      leave: "exit",
    },
    // The end is asked for: `R1(su)->router` alone is what was typed.
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
  // Each command takes effect and stays.
  save: [],
  simulated: { refusal: "Unknown command bogus", rename: "set system name {name}" },
  legacySsh: true,
  unsure: [
    "the prompts of the router and the configuration mode",
    "refusals",
    "save: `set` commands are kept by the switch itself",
  ],
} satisfies PlatformPlugin;
