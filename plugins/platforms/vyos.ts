/** VyOS, and Vyatta, on which it is based. */
import type { PlatformPlugin } from "patchbay/plugin";
import { quotingKeys } from "./family/family.ts";
import { vyosRunning } from "./family/running.ts";
import { vyatta, vyattaErrors, vyattaLevels } from "./family/vyatta.ts";

export default {
  ...vyatta,
  name: "vyos",
  aliases: ["vyatta_vyos", "brocade_vyos"],
  levels: vyattaLevels("vyos@R1"),
  prepare: ["set terminal width 512", "set terminal length 0"],
  keys: quotingKeys,
  continues: /> /,
  running: vyosRunning,
  errors: [
    /^\s*(?:Invalid command|Invalid value|Incomplete command|Ambiguous command|Value validation failed)/m,
    ...vyattaErrors,
  ],
  pager: {
    prompt: /:|lines \d+-\d+(?:\/\d+)?(?: \d+%)?/,
    press: " ",
    example: ":",
    others: [{ prompt: /(?:lines \d+-\d+(?:\/\d+)? )?\(END\)/, press: "q" }],
  },
  save: [{ send: "save", failed: /^\s*(?:Save failed|Error|Invalid)|permission denied|no space left/im }],
  simulated: { ...vyatta.simulated, refusal: "\n  Invalid command: [bogus]\n" },
  unsure: [
    "running.startup: the last line of releases before 1.2",
    "candidate.confirm: the questions differ between releases",
  ],
} satisfies PlatformPlugin;
