/** Allied Telesis AlliedWare Plus. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager } from "./family/family.ts";
import { iosModes } from "./family/modes.ts";

export default {
  api: 1,
  kind: "platform",
  name: "allied_telesis_awplus",
  detect: [{ send: "show version", says: /AlliedWare Plus/i }],
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0"],
  errors: ciscoErrors,
  pager: morePager,
  questions: [{ ask: /\(y\/n\)\s*\??\s*:?\s*$/i, reply: "y" }],
  save: [{ send: "copy running-config startup-config", failed: /^\s*%|fail|error/im }],
  simulated: { saved: "Building configuration...\n[OK]", modes: iosModes, pipes: "ios" },
} satisfies PlatformPlugin;
