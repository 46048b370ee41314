/** Dell Enterprise SONiC, by its command line in the style of Cisco. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager } from "./family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "dell_sonic",
  aliases: ["sonic"],
  levels: {
    shell: { prompt: /[\w.-]{1,32}@[\w.-]{1,63}:[^\n]{0,200}[$#] /, example: "admin@R1:~$ " },
    // Operators who are no administrators are there at once.
    privileged: {
      prompt: /[\w.-]{1,63}# ?/,
      example: "R1# ",
      from: "shell",
      enter: "sonic-cli",
      leave: "exit",
    },
    config: { ...ciscoLevels.config, example: "R1(config)# " },
  },
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["terminal length 0"] },
  goodbye: ["exit", "exit"],
  errors: [/^%? ?Error:/m, ...ciscoErrors, /^-?bash: [^\n]{1,80}: command not found$/m],
  pager: morePager,
  questions: [{ ask: /\[y\/N\]\s*:?\s*$/i, reply: "y" }],
  save: [{ send: "write memory", failed: /^\s*%? ?Error|fail/im }],
  simulated: { refusal: '% Error: Invalid input detected at "^" marker.', saved: "Success" },
  unsure: ["save by write memory"],
} satisfies PlatformPlugin;
