/** Maipu MyPower. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoBlankLevels, ciscoErrors, morePager } from "./family/family.ts";
import { iosModes } from "./family/modes.ts";

export default {
  api: 1,
  kind: "platform",
  name: "maipu",
  levels: ciscoBlankLevels,
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["more off"] },
  errors: ciscoErrors,
  pager: morePager,
  questions: [{ ask: /[([](?:yes\|no|y\/n|yes\/no)[)\]]\s*[?:]?\s*$/i, reply: "yes" }],
  save: [
    {
      send: "write",
      questions: [{ ask: /[([](?:yes\|no|y\/n|yes\/no)[)\]]\s*[?:]?\s*$/i, reply: "yes" }],
      failed: /^\s*%|fail|error/im,
    },
  ],
  simulated: { modes: iosModes, pipes: "ios" },
  legacySsh: true,
  unsure: ["prompts, refusals and pager: assumed Cisco style"],
} satisfies PlatformPlugin;
