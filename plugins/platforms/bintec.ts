/** bintec and elmeg routers with BOSS, through the SNMP shell. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "bintec_boss",
  // The current table follows the colon: `R1:ipRouteTable> `.
  levels: { user: { prompt: new RegExp(`${hostName}:[^\\s<>]{0,60}> ?`), example: "R1:> " } },
  home: "user",
  errors: [
    /^[^\n:]{1,80}: (?:unknown command|not found|no such|bad value|invalid)/im,
    /^(?:Unknown command|Syntax error|Invalid|Error:)/im,
  ],
  pager: morePager,
  save: [{ send: "cmd=save", failed: /^[^\n]{0,80}(?:fail|error|invalid|unknown)/im }],
  legacySsh: true,
  simulated: { refusal: "bogus: unknown command", saved: "OK", rename: "sysName={name}" },
  unsure: ["wording of refusals", "format of the pager", "output of `cmd=save`"],
} satisfies PlatformPlugin;
