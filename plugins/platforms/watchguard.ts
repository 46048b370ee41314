/** WatchGuard Fireware. */
import type { PlatformPlugin } from "patchbay/plugin";

export default {
  api: 1,
  kind: "platform",
  name: "watchguard_fireware",
  levels: {
    // Read-only logins end in `>`.
    privileged: { prompt: /(?:\[[^\]\n]{1,24}\])?WG[\w.\- ]{0,60}[#>] ?/, example: "WG#" },
    config: {
      prompt: /(?:\[[^\]\n]{1,24}\])?WG[\w.\- ]{0,60}\([\w.\-/]{1,48}\)# ?/,
      example: "WG(config)#",
      from: "privileged",
      enter: "configure",
      leave: "exit",
    },
  },
  home: "privileged",
  config: "config",
  errors: [/^\s*(?:% ?(?:Invalid|Unrecognized|Incomplete|Ambiguous|Error)|\^-+ ?Error|Error:)/im],
  pager: { prompt: /--More--/i, press: " " },
  questions: [{ ask: /\(yes or no\)\??[^\n]{0,8}$/i, reply: "yes" }],
  // Each command takes effect and stays.
  save: [],
  simulated: { refusal: "% Unrecognized command bogus", rename: null },
  unsure: ["refusals", "names in front of the prompt"],
} satisfies PlatformPlugin;
