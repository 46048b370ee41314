/** Sophos SFOS: a login lands in a menu; 4 is the device console. */
import type { PlatformPlugin } from "patchbay/plugin";

export default {
  api: 1,
  kind: "platform",
  name: "sophos_sfos",
  levels: {
    // Indented like the menu above it.
    menu: { prompt: / {0,16}Select Menu Number \[\d-\d\]: ?/, example: "Select Menu Number [0-7]: " },
    console: {
      prompt: /console(?: ?\([^()\n]{1,40}\))?> ?/,
      example: "console> ",
      from: "menu",
      enter: "4",
      leave: "exit",
    },
    shell: {
      prompt: /[A-Z][\w.-]{1,63}(?: [^\n#<>]{0,80})?# ?/,
      example: "SFVUNL_R1# ",
      from: "menu",
      enter: "5",
      leave: "exit",
    },
  },
  home: "console",
  // A disclaimer that must be accepted.
  login: [
    {
      ask: /\b(?:continue|agree|accept)[^\n]{0,40}\(y\/n\)\s*[?:]?\s*$/i,
      example: "Are you sure you want to Continue (y/n):",
      reply: "y",
    },
  ],
  errors: [/^\s*(?:% ?Error|Error|Unknown command|Invalid|Incomplete)\b/im],
  pager: { prompt: /--More--/i, press: " " },
  goodbye: ["exit", "0"],
  // Changes on the console take effect and persist.
  save: [],
  simulated: { refusal: "% Error: Unknown Parameter 'bogus'", rename: null },
  unsure: ["that menu item 5 opens the shell without a further question", "refusals"],
} satisfies PlatformPlugin;
