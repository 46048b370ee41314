/** Broadcom ICOS, on switches of many makers. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels } from "./family.ts";

/** `R1` or, as in the FASTPATH it comes from, `(R1) `. */
const name = "(?:\\([\\w.\\- ]{1,63}\\) ?|[\\w.\\-]{1,63} ?)";

export default {
  api: 1,
  kind: "platform",
  name: "broadcom_icos",
  levels: {
    exec: { ...ciscoLevels.exec, prompt: new RegExp(`${name}> ?`), example: "(R1) >" },
    privileged: {
      ...ciscoLevels.privileged,
      prompt: new RegExp(`${name}# ?`),
      example: "(R1) #",
      leave: "exit",
      refused: /^(?:% ?)?(?:Incorrect Password|Access denied|Bad secrets?)/im,
    },
    config: {
      ...ciscoLevels.config,
      // `(R1) (Config)#`, `(R1) (Interface 0/1)#`, `R1(config-if)#`
      prompt: new RegExp(`${name}\\((?:[Cc]onf|[A-Z])[\\w.\\-/ ,]{0,48}\\) ?# ?`),
      example: "(R1) (Config)#",
      enter: "configure",
      leave: "exit",
    },
  },
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["terminal length 0"] },
  errors: [
    ...ciscoErrors,
    /^(?:Command not found|Incomplete command|An invalid interface has been used|ERROR:)/m,
  ],
  pager: { prompt: /--More--(?: or \(q\)uit)?/i, press: " ", example: "--More-- or (q)uit" },
  questions: [{ ask: /\(y\/n\)\s*[?:]?\s*$/i, reply: "y" }],
  save: [
    {
      send: "write memory",
      questions: [
        {
          ask: /Are you sure you want to save\?\s*\(y\/n\)\s*$/i,
          example: "Are you sure you want to save? (y/n) ",
          reply: "y",
        },
      ],
      failed: /^\s*%|fail|could not|not saved/im,
    },
  ],
  simulated: { saved: "Configuration Saved!", denied: "Incorrect Password!" },
  legacySsh: true,
  unsure: [
    "which of the two styles of prompt a maker chose",
    "what a wrong enable password is answered with",
  ],
} satisfies PlatformPlugin;
