/** Accedian network interface devices: MetroNID, LT, GT, GX. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "accedian",
  // Configuration lines are accepted at the command prompt.
  levels: { user: { prompt: new RegExp(`${hostName}[:#>] ?`), example: "R1: " } },
  home: "user",
  errors: [
    /^\s*(?:Error|Invalid|Unknown|Unrecognized|Incomplete|Ambiguous|Syntax error|Command not found)\b/im,
  ],
  pager: morePager,
  legacySsh: true,
  unsure: [
    "the prompt: a line with a single word and a colon matches it until more output follows",
    "wording of refusals",
    "format of the pager",
    "no save: the command is unknown",
    "the host name command",
  ],
} satisfies PlatformPlugin;
