/** Asterfusion AsterNOS: SONiC with a command line in the style of Cisco. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoStyle, morePager, shellPrompt } from "./family.ts";

const style = ciscoStyle({ blank: " " });

export default {
  api: 1,
  kind: "platform",
  name: "asterfusion_asternos",
  levels: {
    shell: { prompt: shellPrompt, example: "admin@R1:~$ " },
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
  prepareAt: { level: "privileged", commands: ["terminal raw-output"] },
  goodbye: ["exit", "exit"],
  errors: [/^%? ?Error\b/m, /^Syntax error/im, ...ciscoErrors, /^-?bash: [^\n]{1,80}: command not found$/m],
  pager: morePager,
  questions: [{ ask: /[[(]y(?:es)?\/n(?:o)?[\])]\s*[?:]?\s*$/i, reply: "y" }],
  save: [{ send: "write", failed: /^\s*%? ?Error|fail/im }],
  simulated: { refusal: "%Error: Invalid input detected at '^' marker." },
  unsure: ["how refusals are worded", "what a save asks", "how the pager looks: it is switched off"],
} satisfies PlatformPlugin;
