/** NEC UNIVERGE IX routers. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "nec_ix",
  detect: [{ send: "show hardware", says: /IX Series/i }],
  levels: {
    privileged: { prompt: new RegExp(`${hostName}# ?`), example: "R1# " },
    config: {
      prompt: new RegExp(`${hostName}\\([^()\\n]{1,80}\\)# ?`),
      example: "R1(config)# ",
      from: "privileged",
      enter: "svintr-config",
      leave: "exit",
    },
  },
  home: "privileged",
  config: "config",
  // Only global configuration mode accepts it.
  prepareAt: { level: "config", commands: ["terminal length 0"] },
  errors: [/^\s*% ?[A-Za-z][^\n]{0,40}(?:[Ii]nvalid|[Uu]nknown|[Ii]ncomplete|[Aa]mbiguous)/m, /^% /m],
  pager: { prompt: /--More--/i, press: " " },
  saveLevel: "config",
  save: [{ send: "write memory", failed: /^\s*%(?! ?(?:Building|You)) ?[A-Z]/m }],
  simulated: { refusal: "% bogus -- Invalid command.", saved: "Building configuration..." },
  legacySsh: true,
  unsure: [
    "configuration mode is entered with `svintr-config`, which interrupts another session in it",
    "refusals and pager",
  ],
} satisfies PlatformPlugin;
