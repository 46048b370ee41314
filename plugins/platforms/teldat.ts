/** Teldat CIT: processes instead of levels; Ctrl-P returns to the first one. */
import type { PlatformPlugin } from "patchbay/plugin";

/** The menu, usually a protocol, follows the name: `R1 IP config$`. */
const name = '(?! )[^\\n<>#*+$="]{0,100}';

export default {
  api: 1,
  kind: "platform",
  name: "teldat_cit",
  levels: {
    user: { prompt: new RegExp(`${name}\\*`), example: "R1 *" },
    monitor: { prompt: new RegExp(`${name}\\+`), example: "R1 +", from: "user", enter: "p 3", leave: "\x10" },
    config: {
      prompt: new RegExp(`${name}[cC]onfig(?:uration)?>`),
      example: "R1 Config>",
      from: "user",
      enter: "p 4",
      leave: "\x10",
    },
    running: {
      prompt: new RegExp(`${name}[cC]onfig(?:uration)?\\$`),
      example: "R1 Config$",
      from: "user",
      enter: "p 5",
      leave: "\x10",
    },
  },
  home: "monitor",
  // Like Netmiko: changes in `p 4` take effect after a save and a restart; `p 5` (config_mode_command) takes effect at
  // once.
  config: "config",
  errors: [/^\s*(?:CLI Error|Command not found|Command error|Unrecognized command)/im],
  pager: { prompt: /--More--/i, press: " " },
  questions: [{ ask: /\(Yes\/No\)\??\s*$/i, reply: "yes" }],
  saveLevel: "config",
  save: [
    {
      send: "save",
      questions: [{ ask: /\(Yes\/No\)\??\s*$/i, example: "Save configuration (Yes/No)? ", reply: "yes" }],
    },
  ],
  goodbye: ["logout", "yes"],
  simulated: { refusal: "CLI Error: Unrecognized command or invalid value", rename: "set hostname {name}" },
  legacySsh: true,
  unsure: ["refusals", "queries run in the monitor (`p 3`)", "save: Netmiko refuses it"],
} satisfies PlatformPlugin;
