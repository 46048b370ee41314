/** ZyXEL switches and access concentrators. */
import type { PlatformPlugin } from "patchbay/plugin";
import { spacedName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "zyxel_os",
  aliases: ["zyxel"],
  levels: {
    exec: { prompt: new RegExp(`${spacedName}(?: ?\\([^()\\n]{1,64}\\))?[>#] ?`), example: "R1> " },
  },
  home: "exec",
  errors: [
    /^\s*(?:% ?)?(?:invalid command|command authorization fail|unknown command)/im,
    /^\s*%? ?\(after '[^'\n]{0,80}'\): Parse error/m,
  ],
  pager: { prompt: /-- ?more ?--[^\n]{0,40}/i, press: " " },
  questions: [{ ask: /[([]y\/n[)\]]\s*[?:]?\s*$/i, reply: "y" }],
  save: [{ send: "write memory", failed: /^\s*%|fail|error|invalid/im }],
  simulated: { refusal: "invalid command bogus" },
  legacySsh: true,
  unsure: [
    "refusals",
    "save: `write memory`, not the copy command Netmiko inherits",
    "the caller's lines change the level",
  ],
} satisfies PlatformPlugin;
