/** ADVA FSP 150: CC-f825 and related (F2), XG210, GE11x, GE20x (F3). */
import type { PlatformPlugin } from "patchbay/plugin";

const shared = {
  api: 1,
  kind: "platform",
  // The prompt shows contexts, and configuration lines look like commands.
  levels: { user: { prompt: /(?!<)[0-9A-Za-z\u0080-\uffff][^\n<>#"]{0,120}?--> ?/, example: "R1-->" } },
  home: "user",
  login: [
    {
      ask: /Do you wish to continue \[Y\|N\]-->\s*$/i,
      example: "Do you wish to continue [Y|N]-->",
      reply: "y",
    },
  ],
  goodbye: ["logout"],
  errors: [
    /^\s*(?:Error|Unrecognized|Invalid|Unknown|Ambiguous|Incomplete|Syntax error|Command (?:failed|not found))\b/im,
  ],
  // Paging is set per user account in the configuration, not per session.
  pager: { prompt: /-- ?more ?--[^\n]*|Press any key to continue[^\n]*/i, press: " ", example: "--More--" },
  newline: "\r",
  legacySsh: true,
  simulated: { refusal: "Unrecognized command", rename: "system-name {name}" },
  unsure: [
    "wording of refusals",
    "format of the pager",
    "no save: the command is unknown",
    "a push ends in the context of its last line: end the lines with `home`",
    "the host name command",
  ],
} satisfies Partial<PlatformPlugin>;

const f2: PlatformPlugin = { ...shared, name: "adva_fsp150f2" };
// A login may land in the context of a previous session.
const f3: PlatformPlugin = { ...shared, name: "adva_fsp150f3", prepare: ["home"] };

export default [f2, f3];
