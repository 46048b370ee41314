/** WatchGuard Fireware. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName } from "./family/family.ts";

/** `[FAULT]WG<managed-by-wsm><master>>`: a state before the name, roles after it. */
const name = `(?:\\[[^\\[\\]\\n]{1,40}\\] ?)?${hostName}`;
const roles = "(?:<[^<>\\s]{1,40}>){0,4}";

export default {
  api: 1,
  kind: "platform",
  name: "watchguard_fireware",
  levels: {
    // Prompts of read-only logins end in `>`.
    privileged: { prompt: new RegExp(`${name}${roles}[#>] ?`), example: "WG#" },
    config: {
      prompt: new RegExp(`${name}${roles}\\([^()\\n]{1,80}\\)${roles}# ?`),
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
  // Each command takes effect and persists.
  save: [],
  simulated: { refusal: "% Unrecognized command bogus", rename: null },
  unsure: ["refusals", "names before the prompt"],
} satisfies PlatformPlugin;
