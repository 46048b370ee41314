/** Check Point Gaia: Clish; the expert shell is a separate level. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "checkpoint_gaia",
  levels: {
    // `R1> `, with virtual systems `R1:0> `, in a gateway group `[Global] R1-ch01-01 > `.
    clish: {
      prompt: new RegExp(`(?:\\[[^\\[\\]\\n]{1,40}\\] ?)?${hostName}(?:\\[[^\\[\\]\\n]{1,40}\\])? ?> ?`),
      example: "R1> ",
    },
    expert: {
      prompt: /\[Expert@[^\]\n]{1,120}\]# ?/,
      example: "[Expert@R1:0]# ",
      from: "clish",
      enter: "expert",
      leave: "exit",
      asks: /password:\s*$/i,
      refused: /^(?:Wrong password|Access denied|Expert password)/im,
    },
  },
  home: "clish",
  context: {
    pattern: /:([1-9]\d{0,3}) ?>/,
    enter: "set virtual-system {context}",
    leave: "set virtual-system 0",
  },
  prepare: ["set clienv rows 0"],
  goodbye: ["exit"],
  errors: [
    /^(?:CLI|NM)[A-Z]{2,8}\d{3,5}\b/m,
    /^(?:Invalid|Incomplete|Ambiguous) (?:command|argument)/m,
    // Some accounts land in the expert shell.
    /^-?bash: [^\n]{1,80}: command not found$/m,
  ],
  pager: { prompt: /-- ?More ?--/i, press: " ", example: "-- More --" },
  save: [{ send: "save config", failed: /^(?:CLI|NM)[A-Z]{2,8}\d{3,5}\b|fail/im }],
  simulated: {
    refusal: "CLINFR0329  Invalid command:'bogus'.",
    asks: "Enter expert password:",
    denied: "Wrong password.",
    rename: "set hostname {name}",
  },
  unsure: [
    "all numbered messages count as refusals",
    "a database locked by another user is reported, not taken over",
  ],
} satisfies PlatformPlugin;
