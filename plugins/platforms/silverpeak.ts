/** Silver Peak (Aruba EdgeConnect) VXOA. */
import type { PlatformPlugin } from "patchbay/plugin";
import { blankSecret, morePager } from "./family/family.ts";
import { tallMapleLevels } from "./family/tallmaple.ts";

export default {
  api: 1,
  kind: "platform",
  name: "silverpeak_vxoa",
  levels: { ...tallMapleLevels, privileged: blankSecret(tallMapleLevels.privileged) },
  home: "privileged",
  config: "config",
  newline: "\r",
  prepareAt: { level: "privileged", commands: ["no cli session paging enable"] },
  errors: [/^\s*% (?:Unrecognized|Incomplete|Ambiguous|Invalid|Unknown)/m],
  pager: { ...morePager, prompt: /lines \d+-\d+|-+ ?More ?-+/i },
  save: [{ send: "write memory", failed: /^\s*%|fail|error/im }],
  simulated: { refusal: '% Unrecognized command "bogus".' },
  unsure: ["prompts", "save: `write memory`, not the copy command Netmiko inherits"],
} satisfies PlatformPlugin;
