/** NetApp clustered Data ONTAP. */
import type { PlatformPlugin } from "patchbay/plugin";

export default {
  api: 1,
  kind: "platform",
  name: "netapp_cdot",
  levels: {
    admin: { prompt: /[^\s:<>"]{1,80}::(?:[\w -]{1,80})?> ?/, example: "R1::> " },
    diagnostic: {
      prompt: /[^\s:<>"]{1,80}::(?:[\w -]{1,80})?\*> ?/,
      example: "R1::*> ",
      from: "admin",
      enter: "set -privilege diagnostic -confirmations off",
      leave: "set -privilege admin -confirmations off",
    },
  },
  home: "admin",
  config: "diagnostic",
  // A command directory: `R1::storage aggregate> `.
  context: { pattern: /::([\w -]{1,80}?)\*?> ?$/, enter: "top; {context}", leave: "top" },
  prepare: ["rows 0"],
  errors: [/^\s*Error: /m],
  pager: {
    prompt: /Press <space> to page down[^\n]{0,80}/i,
    press: " ",
    example: "Press <space> to page down, <return> for next line, or 'q' to quit... ",
  },
  questions: [{ ask: /\{y\|n\}:?\s*$/i, reply: "y" }],
  // Each command takes effect and persists.
  save: [],
  simulated: {
    refusal: 'Error: "bogus" is not a recognized command',
    rename: "cluster identity modify -name {name}",
  },
} satisfies PlatformPlugin;
