/** Switches on Broadcom FASTPATH whose prompt stands between parentheses: Netgear, Ubiquiti. */
import type { PlatformPlugin, PrivilegeLevel } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels } from "./family.ts";

const name = "\\([\\w.\\- ]{1,63}\\) ?";

export const fastpathLevels: Readonly<Record<"exec" | "privileged" | "config", PrivilegeLevel>> = {
  exec: { prompt: new RegExp(`${name}> ?`), example: "(R1) >" },
  privileged: {
    ...ciscoLevels.privileged,
    prompt: new RegExp(`${name}# ?`),
    example: "(R1) #",
    leave: "exit",
    refused: /^(?:% ?)?(?:Incorrect Password|Access denied|Bad secrets?)/im,
  },
  config: {
    ...ciscoLevels.config,
    prompt: new RegExp(`${name}\\([\\w.\\-/ ,]{1,48}\\) ?# ?`),
    example: "(R1) (Config)#",
    enter: "configure",
    leave: "exit",
  },
};

export const fastpath = {
  api: 1,
  kind: "platform",
  levels: fastpathLevels,
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["terminal length 0"] },
  errors: [
    ...ciscoErrors,
    /^(?:Command not found|Incomplete command|Ambiguous command|An invalid interface has been used|Error!|ERROR:)/m,
  ],
  pager: { prompt: /--More--(?: or \(q\)uit)?/i, press: " ", example: "--More-- or (q)uit" },
  questions: [{ ask: /\(y\/n\)\s*[?:]?\s*$/i, reply: "y" }],
  simulated: { saved: "Configuration Saved!", denied: "Incorrect Password!" },
  legacySsh: true,
} satisfies Partial<PlatformPlugin>;
