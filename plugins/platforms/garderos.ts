/** Garderos GRS industrial routers. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "garderos_grs",
  levels: {
    privileged: { prompt: new RegExp(`${hostName}# ?`), example: "R1# " },
    config: {
      prompt: new RegExp(`${hostName}(?:\\([^()\\n]{1,64}\\)){1,2}# ?`),
      example: "R1(configuration)# ",
      from: "privileged",
      enter: "configuration terminal",
      leave: "exit",
    },
  },
  home: "privileged",
  config: "config",
  errors: [/^\s*(?:Error|Unknown command|Invalid|Syntax error|Ambiguous|% )/im],
  pager: { prompt: /--More--/i, press: " " },
  // A commit reloads the values, a save makes them persistent.
  save: [
    { send: "commit", success: /Values will be reloaded|No configuration to commit/ },
    { send: "write startup-configuration", success: /persistently saved/ },
  ],
  simulated: {
    refusal: "Unknown command bogus",
    saved: "Values will be reloaded\nValues are persistently saved to STARTUP-CONF",
  },
  unsure: [
    "refusals",
    "the configuration mode prompt",
    "the commit before a save",
    "an accepted line returns `Set.`; any answer that matches no refusal counts as accepted",
  ],
} satisfies PlatformPlugin;
