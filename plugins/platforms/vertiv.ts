/** Vertiv (Geist) MPH rack PDUs. */
import type { PlatformPlugin } from "patchbay/plugin";

export default {
  api: 1,
  kind: "platform",
  name: "vertiv_mph",
  levels: { exec: { prompt: /cli-> ?/, example: "cli-> " } },
  home: "exec",
  errors: [/^\s*(?:Error|Invalid (?:command|parameter|argument)|Unknown command|Command not found)\b/im],
  pager: { prompt: /--More--/i, press: " " },
  save: [{ send: "save", failed: /error|fail|invalid/im }],
  goodbye: ["logout"],
  simulated: { refusal: "Error: Unknown command bogus", rename: null },
  unsure: ["refusals"],
} satisfies PlatformPlugin;
