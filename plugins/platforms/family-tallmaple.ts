/** Systems with the command line of Tall Maple, MLNX-OS and VXOA: that of Cisco, with blanks and a role behind the name. */
import { ciscoLevels, hostName } from "./family.ts";

const name = `${hostName} ?(?:\\[[^\\]\\n]{1,120}\\] ?)?`;

export const tallMapleLevels = {
  exec: { prompt: new RegExp(`${name}> ?`), example: "R1 > " },
  privileged: { ...ciscoLevels.privileged, prompt: new RegExp(`${name}# ?`), example: "R1 # " },
  config: {
    ...ciscoLevels.config,
    prompt: new RegExp(`${name}\\([^()\\n]{1,100}\\) ?# ?`),
    example: "R1 (config) # ",
    // Leads up by one context; it is sent until the configuration is left.
    leave: "exit",
  },
};
