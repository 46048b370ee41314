/** ALAXALA AX2600S and AX3600S. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoLevels, morePager } from "./family.ts";

/** `!` marks what is not saved, the others the role in a stack. A switch without a name shows none. */
const mark = "[+!@*]{0,2}";
const yes = /\(y\/n\)\s*:?\s*$/i;

export default {
  api: 1,
  kind: "platform",
  name: "alaxala_ax36s",
  aliases: ["alaxala_ax26s"],
  levels: {
    exec: { ...ciscoLevels.exec, prompt: new RegExp(`${mark}[\\w.\\-]{1,63}> ?`), example: "R1> " },
    privileged: {
      ...ciscoLevels.privileged,
      prompt: new RegExp(`${mark}[\\w.\\-]{1,63}# ?`),
      example: "R1# ",
      refused: /^(?:% ?|Error ?: ?)?(?:Sorry|Access denied|Login incorrect|Invalid password)/im,
    },
    config: {
      ...ciscoLevels.config,
      prompt: new RegExp(`${mark}[\\w.\\-]{0,63}\\(config[^)\\n]{0,48}\\)# ?`),
      example: "R1(config)# ",
      leaveQuestions: [{ ask: yes, reply: "y" }],
    },
  },
  home: "privileged",
  config: "config",
  prepare: ["set terminal pager disable"],
  errors: [
    /^\s*% ?(?:illegal|Command not found|Command not authorized|Incomplete|Ambiguous|Invalid)/im,
    /^Error ?: /m,
  ],
  pager: morePager,
  questions: [{ ask: yes, reply: "y" }],
  // The line that saves belongs to the configuration.
  saveLevel: "config",
  save: [{ send: "write", questions: [{ ask: yes, reply: "y" }], failed: /^\s*%|^Error|can't|cannot/im }],
  simulated: { refusal: "% illegal parameter at '^' marker" },
  unsure: [
    "the marks before the name in prompts",
    "what a wrong enable password is answered with",
    "how refusals are worded on AX2600S",
  ],
} satisfies PlatformPlugin;
