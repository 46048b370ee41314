/** SONiC with a Cisco-style CLI: a login lands in a shell, from which the CLI is started. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoStyle, morePager, shellPrompt } from "./family.ts";

const style = ciscoStyle({ blank: " " });

export const sonicShellError = /^-?bash: [^\n]{1,80}: command not found$/m;

export const sonic = {
  api: 1,
  kind: "platform",
  levels: {
    shell: { prompt: shellPrompt, example: "admin@R1:~$ " },
    privileged: {
      prompt: style.privileged.prompt,
      // `root@R1:/home/admin# ` is a shell prompt.
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
  goodbye: ["exit", "exit"],
  pager: morePager,
} satisfies Partial<PlatformPlugin>;
