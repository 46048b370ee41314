/** Coriant, now Infinera: Groove G30 and compatible systems. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "coriant",
  levels: {
    user: { prompt: new RegExp(`[\\w.-]{1,64}@${hostName}[>:#] ?|${hostName}[>#] ?`), example: "admin@R1> " },
  },
  home: "user",
  // A banner that must be accepted.
  login: [{ ask: /(?:[[(](?:y\/n|yes\/no)[\])]|y\(es\)\/n\(o\))\s*[?:]?\s*$/i, reply: "yes" }],
  prepare: ["set -f cli-config cli-columns 65535"],
  goodbye: ["quit -f"],
  errors: [/^(?:Error:|Syntax error|(?:% ?)?(?:Invalid|Unknown) command)/im],
  questions: [{ ask: /[[(](?:y\/n|yes\/no)[\])]\s*[?:]?\s*$/i, reply: "yes" }],
  save: [],
  simulated: { refusal: "Error: unknown command", rename: "set ne ne-name {name}" },
  unsure: [
    "prompts other than the Groove's",
    "refusals",
    "whether there is a pager",
    "that changes persist without a save",
    "the host name command",
  ],
} satisfies PlatformPlugin;
