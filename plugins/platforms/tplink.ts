/** TP-Link JetStream switches. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoBlankLevels, ciscoErrors, ciscoLevels } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "tplink_jetstream",
  levels: {
    ...ciscoBlankLevels,
    // Administrator rights for other accounts; only the configuration requires them.
    privileged: { ...ciscoBlankLevels.privileged, also: "enable-admin" },
    config: { ...ciscoLevels.config, enter: "configure", leave: "end" },
  },
  home: "privileged",
  config: "config",
  newline: "\r\n",
  prepareAt: { level: "privileged", commands: ["terminal length 0"] },
  errors: [...ciscoErrors, /^\s*Error: /m],
  pager: {
    prompt: /Press any key to continue \(Q to quit\)/i,
    press: " ",
    example: "Press any key to continue (Q to quit)",
  },
  questions: [{ ask: /\(Y\/N\):?\s*$/i, reply: "y" }],
  save: [{ send: "copy running-config startup-config", failed: /^\s*(?:%|Error)|fail/im }],
  simulated: { refusal: "Error: Bad command" },
  legacySsh: true,
  unsure: ["answer to a wrong enable password"],
} satisfies PlatformPlugin;
