/** VyOS, and the Vyatta it comes from. */
import type { PlatformPlugin } from "patchbay/plugin";

const user = "[^\\s@<>#$:]{1,64}@[^\\s@<>#$:]{1,100}";

export default {
  api: 1,
  kind: "platform",
  name: "vyos",
  aliases: ["vyatta_vyos", "brocade_vyos"],
  levels: {
    // Administrators have a shell, operators an angle bracket.
    exec: { prompt: new RegExp(`${user}(?::[^\\n]{1,120}[$#]|>) `), example: "vyos@R1:~$ " },
    config: {
      prompt: new RegExp(`${user}# ?`),
      example: "vyos@R1# ",
      from: "exec",
      enter: "configure",
      // A mere `exit` leads up by one context, and stays where something is not committed.
      leave: "exit discard",
    },
  },
  home: "exec",
  config: "config",
  // The place in the configuration stands on a line of its own.
  above: /^\[edit[^\]\n]*\]$/,
  prepare: ["set terminal width 512", "set terminal length 0"],
  errors: [
    /^\s*(?:Invalid command|Invalid value|Incomplete command|Ambiguous command|Value validation failed)/m,
    /^\s*(?:Configuration path: [^\n]{1,400} (?:is not valid|already exists|does not exist)|(?:Set|Delete|Commit) failed)/m,
    /^-?v?bash: [^\n]{1,80}: command not found$/m,
  ],
  pager: {
    prompt: /:|lines \d+-\d+(?:\/\d+)?(?: \d+%)?/,
    press: " ",
    example: ":",
    others: [{ prompt: /(?:lines \d+-\d+(?:\/\d+)? )?\(END\)/, press: "q" }],
  },
  questions: [{ ask: /\[y\/N\]\s*$/i, reply: "y" }],
  saveLevel: "config",
  save: [{ send: "save", failed: /^\s*(?:Save failed|Error|Invalid)|permission denied|no space left/im }],
  candidate: {
    diff: "compare",
    commit: [{ send: "commit" }],
    commitComment: [{ send: 'commit comment "{comment}"' }],
    confirm: [
      {
        send: "commit-confirm {minutes}",
        questions: [{ ask: /Proceed ?\?\s*(?:\[confirm\])?\s*(?:\[y\])?\s*$/i, reply: "y" }],
      },
    ],
    discard: [{ send: "discard" }],
    failed: [/^\s*(?:Commit failed|Failed to generate committed config)/m, /commit failed/i],
  },
  simulated: {
    refusal: "\n  Invalid command: [bogus]\n",
    saved: "Saving configuration to '/config/config.boot'...\nDone",
    rename: "set system host-name {name}",
  },
  files: {
    by: ["scp", "sftp"],
    hash: { algorithm: "sha256", command: "sha256sum {path}", match: /^([0-9a-f]{64})\b/m },
  },
  unsure: ["candidate.confirm: what is asked differs between releases"],
} satisfies PlatformPlugin;
