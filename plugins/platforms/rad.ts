/** RAD ETX carrier Ethernet demarcation. */
import type { PlatformPlugin } from "patchbay/plugin";

export default {
  api: 1,
  kind: "platform",
  name: "rad_etx",
  levels: {
    privileged: { prompt: /[\w.\- ]{1,63}# ?/, not: />/, example: "R1# " },
    config: {
      prompt: /[\w.\- ]{1,63}>config(?:>[^\n#>]{1,40}){0,8}[#$] ?/,
      example: "R1>config# ",
      from: "privileged",
      enter: "configure",
      leave: "exit all",
    },
  },
  home: "privileged",
  config: "config",
  prepare: ["configure terminal length 0"],
  errors: [/^\s*# ?cli error:/im, /^\s*(?:cli error|Invalid command|Unknown command|Ambiguous command)/im],
  pager: { prompt: /more\.\.[^\n]{0,60}/i, press: " ", example: "more.." },
  save: [{ send: "admin save", failed: /error|fail/im }],
  simulated: {
    refusal: "# cli error: Command not recognized",
    saved: "File copied successfully",
    rename: "system name {name}",
  },
  unsure: ["the pager", "refusals"],
} satisfies PlatformPlugin;
