/** Silver Peak (Aruba EdgeConnect) VXOA. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoLevels, morePager } from "./family.ts";

const name = "[\\w.\\-]{1,63} (?:\\[[^\\]\\n]{1,63}\\] )?";

export default {
  api: 1,
  kind: "platform",
  name: "silverpeak_vxoa",
  levels: {
    exec: { prompt: new RegExp(`${name}> ?`), example: "R1 > " },
    privileged: { ...ciscoLevels.privileged, prompt: new RegExp(`${name}# ?`), example: "R1 # " },
    config: {
      ...ciscoLevels.config,
      prompt: new RegExp(`${name}\\(config[^)\\n]{0,63}\\) ?# ?`),
      example: "R1 (config) # ",
      leave: "exit",
    },
  },
  home: "privileged",
  config: "config",
  newline: "\r",
  prepareAt: { level: "privileged", commands: ["no cli session paging enable"] },
  errors: [/^\s*% (?:Unrecognized|Incomplete|Ambiguous|Invalid|Unknown)/m],
  pager: { ...morePager, prompt: /lines \d+-\d+|-+ ?More ?-+/i },
  save: [{ send: "write memory", failed: /^\s*%|fail|error/im }],
  simulated: { refusal: '% Unrecognized command "bogus".' },
  unsure: ["prompts", "save: `write memory`, not the copy command that Netmiko inherits"],
} satisfies PlatformPlugin;
