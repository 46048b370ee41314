/** Quanta Mesh switches. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, morePager } from "./family/family.ts";
import { fastpathLevels } from "./family/fastpath.ts";

export default {
  api: 1,
  kind: "platform",
  name: "quanta_mesh",
  levels: { ...fastpathLevels, config: { ...fastpathLevels.config, leave: "end" } },
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["no pager"] },
  errors: ciscoErrors,
  pager: morePager,
  save: [
    {
      send: "copy running-config startup-config",
      questions: [{ ask: /\(y\/n\)\s*[?:]?\s*$/i, reply: "y" }],
      failed: /^\s*%|fail|error/im,
    },
  ],
  legacySsh: true,
  unsure: ["prompts, refusals and pager: assumed Cisco style"],
} satisfies PlatformPlugin;
