/** Versa FlexVNF: a shell with a ConfD-style CLI. */
import type { PlatformPlugin } from "patchbay/plugin";

export default {
  api: 1,
  kind: "platform",
  name: "flexvnf",
  aliases: ["versa_flexvnf"],
  detect: [{ send: "show system package-info", says: /Versa FlexVNF/i }],
  levels: {
    shell: {
      prompt: /\[[\w.-]{1,64}@[^\s\]]{1,100}:? ?[^\]\n]{0,120}\] ?[$#] ?/,
      example: "[admin@R1: ~] $ ",
    },
    exec: {
      prompt: /[^\s@<>#]{1,64}@[^\s<>#]{1,100}-cli> ?/,
      example: "admin@R1-cli> ",
      from: "shell",
      enter: "cli",
      leave: "exit",
    },
    config: {
      prompt: /[^\s@<>#]{1,64}@[^\s<>#]{1,100}-cli\([^()\n]{1,80}\)% ?/,
      example: "admin@R1-cli(config)% ",
      from: "exec",
      enter: "configure",
      leave: "exit configuration-mode",
      leaveQuestions: [
        {
          ask: /uncommitted changes[^\n]{0,120}\[[^\]\n]{1,24}\]\s*(?:\([^)\n]{1,12}\))?:?\s*$/i,
          example: "There are uncommitted changes. Discard changes and continue? [yes,no] ",
          reply: "yes",
        },
      ],
    },
  },
  home: "exec",
  config: "config",
  above: /^\[(?:edit[^\]\n]*|ok|error)\](?:\[[^\]\n]{1,40}\])?$/,
  prepareAt: { level: "exec", commands: ["set screen width 511", "set screen length 0"] },
  errors: [/^\s*(?:syntax error:|\[error\]|Error:|Aborted:)/m],
  pager: { prompt: /--More--/i, press: " " },
  goodbye: ["exit", "exit"],
  candidate: {
    diff: "show | compare",
    commit: [{ send: "commit", success: /Commit complete|No modifications to commit/ }],
    commitComment: [{ send: 'commit comment "{comment}"', success: /Commit complete|No modifications/ }],
    confirm: [{ send: "commit confirmed {minutes}", success: /automatically rolled back/ }],
    confirmComment: [
      { send: 'commit confirmed {minutes} comment "{comment}"', success: /automatically rolled back/ },
    ],
    discard: [{ send: "revert no-confirm" }],
    failed: [/^\s*(?:Aborted:|\[error\]|Error:)/m],
  },
  simulated: {
    refusal: "syntax error: unknown command",
    committed: "Commit complete.",
    rename: "set system identification name {name}",
  },
  unsure: [
    "candidate.discard",
    "candidate.confirm: whether it survives the end of its session",
    "question on leaving with uncommitted changes",
  ],
} satisfies PlatformPlugin;
