/** Juniper ScreenOS: NetScreen, SSG, ISG. */
import type { PlatformPlugin } from "patchbay/plugin";

export default {
  api: 1,
  kind: "platform",
  name: "juniper_screenos",
  // In a cluster, the cluster name comes first: `nsrp:R1(M)-> `.
  levels: { exec: { prompt: /(?!<)[^\s()<>"=!]{1,120}(?:\([^()\n]{1,64}\)){0,3}-> ?/, example: "R1-> " } },
  home: "exec",
  context: { pattern: /\(((?![A-Z]\))[^()\n]{1,64})\)(?:\([A-Z]\))?->/, leave: "exit" },
  login: [
    {
      ask: /Accept this (?:agreement|login banner)?[^\n]{0,40}$/i,
      example: "Accept this agreement y/[n] ",
      reply: "y",
      newline: false,
    },
  ],
  prepare: ["set console page 0"],
  errors: [
    /^\s*\^?-+ ?(?:unknown keyword|ambiguous|command not completed|invalid)/im,
    /^\s*(?:unknown keyword|command not completed|ambiguous)/im,
  ],
  pager: { prompt: /--- more ---/i, press: " ", example: "--- more ---" },
  questions: [{ ask: /y\/\[?n\]?\s*$/i, reply: "y" }],
  save: [{ send: "save config", failed: /error|fail/i }],
  simulated: {
    refusal: "^-----unknown keyword bogus",
    saved: "Save System Configuration  ...\nDone",
    rename: "set hostname {name}",
  },
  legacySsh: true,
  unsure: ["refusals"],
} satisfies PlatformPlugin;
