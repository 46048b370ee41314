/** Digi TransPort routers (WR, DR, ER) with SarOS. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "digi_transport",
  levels: { super: { prompt: new RegExp(`${hostName}[>#] ?`), example: "R1>" } },
  home: "super",
  goodbye: ["exit"],
  errors: [/^\s*ERROR\s*$/m, /^\s*(?:Invalid|Unknown|Unrecognised) command/im],
  newline: "\r\n",
  save: [{ send: "config 0 save", failed: /^\s*ERROR/im }],
  simulated: { refusal: "ERROR", saved: "OK", rename: "cmd 0 unitid {name}>" },
  legacySsh: true,
  unsure: ["prompt", "refusals other than ERROR", "whether there is a pager"],
} satisfies PlatformPlugin;
