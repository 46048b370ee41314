/** ALAXALA AX2600S and AX3600S. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoStyle, hostName, morePager } from "./family/family.ts";

/** `!` marks unsaved changes, the other signs the stack role. A switch without a host name shows none. */
const style = ciscoStyle({ name: `[+!@*]{0,2}(?:${hostName})?`, blank: " " });
const yes = /\(y\/n\)\s*:?\s*$/i;

export default {
  api: 1,
  kind: "platform",
  name: "alaxala_ax36s",
  aliases: ["alaxala_ax26s"],
  levels: {
    exec: { ...style.exec, not: /^[^\p{L}\p{N}]*> ?$/u },
    privileged: {
      ...style.privileged,
      not: /^[^\p{L}\p{N}]*# ?$/u,
      refused: /^(?:% ?|Error ?: ?)?(?:Sorry|Access denied|Login incorrect|Invalid password)/im,
    },
    config: {
      ...style.config,
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
  // The save command belongs to configuration mode.
  saveLevel: "config",
  save: [{ send: "write", questions: [{ ask: yes, reply: "y" }], failed: /^\s*%|^Error|can't|cannot/im }],
  simulated: { refusal: "% illegal parameter at '^' marker" },
  unsure: [
    "signs before the name in prompts",
    "answer to a wrong enable password",
    "wording of refusals on AX2600S",
  ],
} satisfies PlatformPlugin;
