/** RAD ETX carrier Ethernet demarcation. */
import type { PlatformPlugin } from "patchbay/plugin";
import { spacedName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "rad_etx",
  levels: {
    privileged: { prompt: new RegExp(`${spacedName}[#$] ?`), example: "R1# " },
    config: {
      prompt: new RegExp(`${spacedName}>config(?:>[^\\n#>$]{1,64}){0,10}[#$] ?`),
      example: "R1>config# ",
      from: "privileged",
      enter: "configure",
      leave: "exit all",
    },
    // Command branches besides the configuration: `R1>admin# `, `R1>file# `.
    branch: {
      prompt: new RegExp(`${spacedName}>(?!config)[^\\n#>$]{1,40}(?:>[^\\n#>$]{1,64}){0,10}[#$] ?`),
      example: "R1>admin# ",
      from: "privileged",
      enter: "admin",
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
