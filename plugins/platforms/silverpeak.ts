/** Silver Peak (Aruba EdgeConnect) VXOA. */
import type { PlatformPlugin } from "patchbay/plugin";
import { blankSecret, ciscoLevels, hostName, morePager } from "./family.ts";

const name = `${hostName} ?(?:\\[[^\\]\\n]{1,120}\\] ?)?`;

export default {
  api: 1,
  kind: "platform",
  name: "silverpeak_vxoa",
  levels: {
    exec: { prompt: new RegExp(`${name}> ?`), example: "R1 > " },
    privileged: blankSecret({
      ...ciscoLevels.privileged,
      prompt: new RegExp(`${name}# ?`),
      example: "R1 # ",
    }),
    config: {
      ...ciscoLevels.config,
      prompt: new RegExp(`${name}\\([^()\\n]{1,100}\\) ?# ?`),
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
