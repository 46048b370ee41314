/** ZTE ZXROS and ZXAN. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "zte_zxros",
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0"],
  errors: [...ciscoErrors, /^\s*%(?:Error|Code) ?\d*[: ]/m],
  pager: morePager,
  questions: [{ ask: /\[(?:yes\/no|y\/n|confirm)\]:?\s*$/i, reply: "yes" }],
  save: [{ send: "write", failed: /^\s*%(?:Error|Code)|fail/im }],
  simulated: { refusal: "%Error 20203: Invalid input detected at '^' marker." },
  legacySsh: true,
  unsure: ["refusals", "answer to a wrong enable password"],
} satisfies PlatformPlugin;
