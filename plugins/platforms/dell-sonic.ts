/** Dell Enterprise SONiC, by its command line in the style of Cisco. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoStyle, morePager, shellPrompt } from "./family.ts";

const style = ciscoStyle({ blank: " " });

export default {
  api: 1,
  kind: "platform",
  name: "dell_sonic",
  aliases: ["sonic"],
  levels: {
    shell: { prompt: shellPrompt, example: "admin@R1:~$ " },
    // Operators who are no administrators are there at once.
    privileged: {
      prompt: style.privileged.prompt,
      // `root@R1:/home/admin# ` is a shell.
      not: /@[^\n]{0,200}:/,
      example: "R1# ",
      from: "shell",
      enter: "sonic-cli",
      leave: "exit",
    },
    config: style.config,
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
