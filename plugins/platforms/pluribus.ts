/** Pluribus Netvisor. */
import type { PlatformPlugin } from "patchbay/plugin";

export default {
  api: 1,
  kind: "platform",
  name: "pluribus",
  levels: { exec: { prompt: /CLI(?: \([^()\n]{1,120}\))? ?> ?/, example: "CLI (admin@R1) > " } },
  home: "exec",
  prepare: ["pager off"],
  errors: [
    /^\s*(?:[\w-]{1,40}: (?:invalid|unknown|unrecognized)|Error:|invalid (?:command|argument)|syntax error)/im,
  ],
  pager: { prompt: /--More--/i, press: " " },
  questions: [{ ask: /\(y\/n\)\s*[?:]?\s*$/i, reply: "y" }],
  // Each command takes effect and persists.
  save: [],
  simulated: { refusal: "bogus: unrecognized command", rename: "switch-setup-modify switch-name {name}" },
  unsure: ["the prompt", "refusals"],
} satisfies PlatformPlugin;
