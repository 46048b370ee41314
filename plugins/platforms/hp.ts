/** HPE and H3C Comware. */
import type { PlatformPlugin } from "patchbay/plugin";
import { viewModes } from "./family/modes.ts";
import { comwareRunning } from "./family/running.ts";

export default {
  api: 1,
  kind: "platform",
  name: "hp_comware",
  aliases: ["h3c_comware", "h3c"],
  detect: [{ send: "display version", says: /H3C Comware Software|HPE Comware|HP Comware/i }],
  levels: {
    user: { prompt: /(?:RBM_[PS])?<(?!cr>)[^\s<>="/?!][^<>="\n]{0,127}(?<! )>/, example: "<R1>" },
    config: {
      prompt:
        /(?:RBM_[PS])?\[(?!(?:Y\/N|y\/n|OK|ok|edit[^\]]*|\d{1,3}%)\])[~*]?[^\s[\]="][^[\]="\n]{0,200}\]/,
      example: "[R1]",
      from: "user",
      enter: "system-view",
      leave: "return",
      asks: /password:\s*$/i,
    },
  },
  home: "user",
  config: "config",
  login: [
    { ask: /press (?:any key|(?:y or )?enter|return) to continue[^\n]*$/i, reply: "" },
    // Declines to change a password that is about to expire.
    { ask: /change (?:it|(?:the|your) password)[^\n]{0,40}\[y\/n\]\s*:?\s*$/i, reply: "n" },
  ],
  prepare: ["screen-length disable"],
  goodbye: ["quit"],
  running: comwareRunning,
  errors: [
    /^\s*%? ?(?:Unrecognized|Incomplete|Ambiguous|Too many parameters|Wrong parameter)[^\n]*found at/m,
    /^Permission denied/m,
  ],
  pager: { prompt: / *---- More ----\s*$/, press: " ", example: "---- More ----" },
  simulated: { rename: "sysname {name}", modes: viewModes(""), pipes: "vrp" },
  questions: [{ ask: /\[Y\/N\]\s*:?\s*$/i, reply: "y" }],
  // The default delimiter is `%`.
  blocks: [
    {
      start: /^\s*header\s+(?:incoming|legal|login|motd|shell)\s*$/i,
      end: /%\s*$/,
      says: "Please input banner content, and quit with the character '%'.",
    },
    {
      start: /^\s*header\s+(?:incoming|legal|login|motd|shell)\s+(\S)/i,
      says: "Please input banner content, and quit with the character '$1'.",
    },
  ],
  save: [
    { send: "save force", questions: [{ ask: /\[Y\/N\]\s*:?\s*$/i, reply: "y" }], failed: /^\s*%|fail/im },
  ],
  unsure: ["the prefix RBM_ of redundant devices"],
} satisfies PlatformPlugin;
