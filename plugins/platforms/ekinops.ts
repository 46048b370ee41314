/** Ekinops EK360 (OneAccess routers): OneOS5 and OneOS6. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, hostName, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "ekinops_ek360",
  levels: {
    ...ciscoLevels,
    // OneOS5 shows `R1(configure)>`.
    exec: { prompt: new RegExp(`${hostName}> ?`), example: "R1>" },
    config: { ...ciscoLevels.config, prompt: new RegExp(`${hostName}(?:\\([^()\\n]{1,64}\\)){1,2}[#>] ?`) },
  },
  home: "privileged",
  config: "config",
  // OneOS6 accepts the first two, OneOS5 the others.
  prepare: ["term len 0", "screen-width 512", "stty columns 255"],
  errors: [...ciscoErrors, /^\s*Syntax error/im, /^error:/im],
  pager: morePager,
  newline: "\r",
  save: [{ send: "write memory", failed: /^\s*%|^\s*(?:Syntax )?error/im }],
  simulated: { refusal: "Syntax error" },
  legacySsh: true,
  unsure: ["save on OneOS5", "newline: a carriage return, which both accept"],
} satisfies PlatformPlugin;
