/** A10 Networks ACOS: Thunder, vThunder, AX. */
import type { PlatformPlugin } from "patchbay/plugin";
import { blankSecret, ciscoErrors, ciscoStyle, hostName } from "./family/family.ts";

/**
 * Includes the redundancy role, the chassis and the partition: `R1-Active-vMaster[1/1][tenant]`. Upper-case words in
 * parentheses are states: `(NOLICENSE)`, `(LOADING)`.
 */
const style = ciscoStyle({
  name: `${hostName}(?:\\[[^\\[\\]\\n]{1,63}\\]){0,3}`,
  marks: "[A-Z][A-Z_:.-]{2,24}",
});

export default {
  api: 1,
  kind: "platform",
  name: "a10",
  levels: {
    ...style,
    privileged: blankSecret({
      ...style.privileged,
      refused: /^(?:% ?)?(?:Incorrect password|Access denied|Bad secrets?|Permission denied)/im,
    }),
  },
  context: {
    pattern: /\[((?!\d{1,2}\/\d{1,2}\])[^[\]\n]{1,63})\]/,
    enter: "active-partition {context}",
    leave: "active-partition shared",
  },
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["terminal width 0", "terminal length 0"] },
  errors: ciscoErrors,
  pager: { prompt: /--MORE--/i, press: " ", example: "--MORE--" },
  questions: [{ ask: /[[(](?:y(?:es)?\/n(?:o)?|n\/y)[\])]\s*[?:]{0,2}\s*$/i, reply: "y" }],
  save: [{ send: "write memory", failed: /^\s*%|fail|error/im }],
  simulated: { refusal: "% Unrecognized command.Invalid input detected at '^' marker." },
  unsure: ["answer to a wrong enable password", "a save writes the current partition only"],
} satisfies PlatformPlugin;
