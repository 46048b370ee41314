/** Raisecom ROAP switches. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoBlankLevels, ciscoErrors, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "raisecom_roap",
  aliases: ["raisecom"],
  levels: ciscoBlankLevels,
  home: "privileged",
  config: "config",
  // SSH accepts every login; the shell asks for it.
  login: [
    { ask: /^Login:\s*$/im, reply: "{username}" },
    { ask: /^Password:\s*$/im, reply: "{password}" },
  ],
  prepareAt: { level: "privileged", commands: ["terminal page-break disable"] },
  errors: [
    ...ciscoErrors,
    /^\s*(?:% ?)?(?:Error input in the position|Ambiguous input in the position|" ?% ?Incomplete command)/m,
  ],
  pager: morePager,
  save: [{ send: "write startup-config", failed: /fail|error|^\s*%\s*(?!Saving)/im }],
  simulated: { refusal: "% Error input in the position marked by '^' .", saved: "Write successfully!" },
  telnet: { username: /Login:\s*$/i },
  legacySsh: true,
  unsure: ["output of a failed save"],
} satisfies PlatformPlugin;
