/** Systems with Tall Maple's CLI, MLNX-OS and VXOA: Cisco style, with blanks and a role after the name. */
import { ciscoLevels, hostName } from "./family.ts";

const name = `${hostName} ?(?:\\[[^\\]\\n]{1,120}\\] ?)?`;

export const tallMapleLevels = {
  exec: { prompt: new RegExp(`${name}> ?`), example: "R1 > " },
  privileged: { ...ciscoLevels.privileged, prompt: new RegExp(`${name}# ?`), example: "R1 # " },
  config: {
    ...ciscoLevels.config,
    prompt: new RegExp(`${name}\\([^()\\n]{1,100}\\) ?# ?`),
    example: "R1 (config) # ",
    // Leaves one context; sent repeatedly until the configuration is left.
    leave: "exit",
  },
};
