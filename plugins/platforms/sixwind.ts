/** 6WIND Virtual Service Router. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "sixwind_os",
  levels: {
    exec: { prompt: new RegExp(`${hostName}> ?`), example: "R1> " },
    config: {
      prompt: new RegExp(`${hostName}(?: [^\\n#<>]{1,160})?# ?`),
      example: "R1 running config# ",
      from: "exec",
      enter: "edit running",
      leave: "exit",
      leaveQuestions: [
        {
          ask: /uncommitted[^\n]{0,120}\[[^\]\n]{1,24}\]:?\s*$/i,
          example: "There are uncommitted changes, discard them? [y/N] ",
          reply: "y",
        },
      ],
    },
  },
  home: "exec",
  config: "config",
  errors: [/^\s*(?:Error|Invalid (?:command|argument)|Unknown command|Syntax error|% ?Invalid)\b/im],
  pager: { prompt: /--More--|:/i, press: " " },
  save: [
    {
      send: "copy running startup",
      questions: [
        { ask: /\[y\/n\][^\n]{0,8}$/i, example: "Overwrite startup configuration? [y/N] ", reply: "y" },
      ],
      failed: /^\s*error|fail/im,
    },
  ],
  candidate: {
    diff: "diff running-config",
    commit: [{ send: "commit" }],
    discard: [{ send: "discard" }],
    failed: [/Failed to generate committed config/, /^\s*(?:Error|Invalid)\b/im],
  },
  simulated: { refusal: "Error: Invalid command bogus", committed: "Configuration committed." },
  unsure: ["prompts", "candidate.diff and candidate.discard", "question on leaving with uncommitted changes"],
} satisfies PlatformPlugin;
