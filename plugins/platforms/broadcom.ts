/** Broadcom ICOS, on switches of many vendors. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors } from "./family/family.ts";
import { fastpathLevels, fastpathSave } from "./family/fastpath.ts";

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
  save: fastpathSave,
  simulated: { saved: "Configuration Saved!", denied: "Incorrect Password!" },
  legacySsh: true,
  unsure: ["which of the two prompt styles a vendor uses", "answer to a wrong enable password"],
} satisfies PlatformPlugin;
