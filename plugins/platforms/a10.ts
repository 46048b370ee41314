/** A10 Networks ACOS: Thunder, vThunder, AX. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels } from "./family.ts";

/** With the role of redundant devices, the chassis and the partition: `R1-Active-vMaster[1/1][tenant]`. */
const name = "[\\w.\\-]{1,63}(?:\\[[\\w.\\-/]{1,40}\\]){0,3}";
/** `(NOLICENSE)`, `(LOADING)`. */
const state = "(?:\\((?!conf)[\\w:-]{1,20}\\))?";

export default {
  api: 1,
  kind: "platform",
  name: "a10",
  levels: {
    exec: { ...ciscoLevels.exec, prompt: new RegExp(`${name}${state}> ?`) },
    privileged: {
      ...ciscoLevels.privileged,
      prompt: new RegExp(`${name}${state}# ?`),
      refused: /^(?:% ?)?(?:Incorrect password|Access denied|Bad secrets?|Permission denied)/im,
    },
    config: {
      ...ciscoLevels.config,
      prompt: new RegExp(`${name}\\(config[^)\\n]{0,63}\\)${state}# ?`),
    },
  },
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["terminal width 0", "terminal length 0"] },
  errors: ciscoErrors,
  pager: { prompt: /--MORE--/i, press: " ", example: "--MORE--" },
  questions: [{ ask: /[[(](?:y(?:es)?\/n(?:o)?|n\/y)[\])]\s*[?:]{0,2}\s*$/i, reply: "y" }],
  save: [{ send: "write memory", failed: /^\s*%|fail|error/im }],
  simulated: { refusal: "% Unrecognized command.Invalid input detected at '^' marker." },
  unsure: ["what a wrong enable password is answered with", "a save writes the current partition only"],
} satisfies PlatformPlugin;
