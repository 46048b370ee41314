/** APRESIA AEOS: Apresia 13000 and related. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoBlankLevels, ciscoErrors, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "apresia_aeos",
  detect: [{ send: "show system", says: /Apresia/i }],
  levels: ciscoBlankLevels,
  home: "privileged",
  config: "config",
  // Here `terminal length 0` would be a configuration line, so the pager is answered instead.
  errors: ciscoErrors,
  pager: morePager,
  save: [
    {
      send: "write memory",
      questions: [{ ask: /[[(]y(?:es)?\/n(?:o)?[\])]\s*[?:]?\s*$/i, reply: "y" }],
      failed: /^\s*%|fail|error/im,
    },
  ],
  legacySsh: true,
  unsure: ["prompts, refusals and pager: assumed Cisco style", "save with `write memory`"],
} satisfies PlatformPlugin;
