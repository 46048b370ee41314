/** Hillstone StoneOS firewalls. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoStyle, morePager } from "./family/family.ts";

/** `R1(M)#`, `R1(B)#`: HA master and backup. */
const style = ciscoStyle({ marks: "[A-Z]" });

export default {
  api: 1,
  kind: "platform",
  name: "hillstone_stoneos",
  levels: {
    privileged: { prompt: style.privileged.prompt, example: "R1# " },
    config: { ...style.config, enter: "configure" },
  },
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0"],
  errors: [...ciscoErrors, /^\s*(?:Error:|-{2,}\^ ?(?:unrecognized|incomplete|ambiguous))/im],
  pager: morePager,
  save: [
    {
      send: "save all",
      questions: [
        {
          ask: /[([]?\[?y\]?(?:es)?\/\[?n\]?(?:o)?[)\]]?\s*[?:]?\s*$/i,
          example: "Save configuration for all VSYS, are you sure? [y]/n: ",
          reply: "y",
        },
      ],
      failed: /^\s*(?:%|Error)|fail/im,
    },
  ],
  unsure: ["prompts, refusals and pager: assumed Cisco style"],
} satisfies PlatformPlugin;
