/** Teldat CIT: processes instead of levels, Ctrl-P leads back to the first. */
import type { PlatformPlugin } from "patchbay/plugin";

export default {
  api: 1,
  kind: "platform",
  name: "teldat_cit",
  levels: {
    user: { prompt: /[\w.\- ]{0,63}\*/, example: "R1 *" },
    monitor: { prompt: /[\w.\- ]{0,63}\+/, example: "R1 +", from: "user", enter: "p 3", leave: "\x10" },
    config: {
      prompt: /[\w.\- ]{0,63}[cC]onfig>/,
      example: "R1 Config>",
      from: "user",
      enter: "p 4",
      leave: "\x10",
    },
    running: {
      prompt: /[\w.\- ]{0,63}[cC]onfig\$/,
      example: "R1 Config$",
      from: "user",
      enter: "p 5",
      leave: "\x10",
    },
  },
  home: "monitor",
  // The running configuration takes effect at once; `p 4` would wait for a restart.
  config: "running",
  errors: [/^\s*(?:CLI Error|Command not found|Command error|Unrecognized command)/im],
  pager: { prompt: /--More--/i, press: " " },
  questions: [{ ask: /\(Yes\/No\)\??\s*$/i, reply: "yes" }],
  saveLevel: "running",
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
