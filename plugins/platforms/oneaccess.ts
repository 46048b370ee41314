/** OneAccess OneOS routers. */
import type { PlatformPlugin } from "patchbay/plugin";
import ekinops from "./ekinops.ts";
import { ciscoErrors, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "oneaccess_oneos",
  detect: [{ send: "show version", says: /OneOS/i }],
  // `R1(configure)>` is configuration mode on OneOS5.
  levels: ekinops.levels,
  home: "privileged",
  config: "config",
  newline: "\r\n",
  prepare: ["term len 0", "screen-width 512"],
  errors: [...ciscoErrors, /^\s*(?:Syntax error|% Unknown command|error:)/m],
  pager: morePager,
  save: [{ send: "write mem", failed: /^\s*%|fail|error/im }],
  simulated: { refusal: "Syntax error" },
  unsure: ["the pager", "answer to a wrong enable password"],
} satisfies PlatformPlugin;
