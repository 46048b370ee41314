/** Broadcom ICOS, on switches of many vendors. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors } from "./family/family.ts";
import { fastpathLevels } from "./family/fastpath.ts";

export default {
  api: 1,
  kind: "platform",
  name: "broadcom_icos",
  levels: fastpathLevels,
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
  unsure: ["which of the two prompt styles a vendor uses", "answer to a wrong enable password"],
} satisfies PlatformPlugin;
