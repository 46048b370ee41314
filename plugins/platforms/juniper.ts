/** Juniper Junos. */
import type { PlatformPlugin } from "patchbay/plugin";

const user = "[\\w.\\-@()/:]{1,63}";

export default {
  api: 1,
  kind: "platform",
  name: "juniper_junos",
  aliases: ["juniper"],
  detect: [
    {
      send: "show version",
      says: /JUNOS Software Release|JUNOS .+ Software|JUNOS OS Kernel|JUNOS Base Version/i,
    },
  ],
  levels: {
    shell: { prompt: /(?:root@[^\n%#>$]{0,60}|[^\n\S]*)[%$] ?/, example: "root@R1% " },
    // Root logs in to a shell; everybody else is in the command line at once.
    exec: {
      prompt: new RegExp(`${user}> ?`),
      example: "admin@R1> ",
      from: "shell",
      enter: "cli",
      leave: "exit",
    },
    config: {
      prompt: new RegExp(`${user}# ?`),
      example: "admin@R1# ",
      from: "exec",
      enter: "configure",
      leave: "exit configuration-mode",
      leaveQuestions: [
        {
          ask: /Exit with uncommitted changes\?[^\n]*$/i,
          example: "Exit with uncommitted changes? [yes,no] (yes)",
          reply: "yes",
        },
      ],
    },
  },
  home: "exec",
  config: "config",
  prepareAt: {
    level: "exec",
    commands: ["set cli screen-width 511", "set cli complete-on-space off", "set cli screen-length 0"],
  },
  // Routing engine and place in the configuration stand on a line of their own.
  above: /^(?:\{[\w:-]+\}\s*)?(?:\[edit[^\]\n]*\])?$/,
  errors: [
    /^(?:unknown command|syntax error|error:|missing mandatory argument|invalid (?:numeric )?value|No valid completions)/m,
    /^'[^'\n]+' is ambiguous/m,
    /^\s*\^\n\s*(?:unknown command|syntax error|missing argument)/m,
  ],
  simulated: { lands: "exec", rename: "set system host-name {name}" },
  pager: { prompt: /---\(more(?: \d+%)?\)---\s*$/, press: " ", example: "---(more 40%)---" },
  candidate: {
    diff: "show | compare",
    commit: [{ send: "commit" }],
    commitComment: [{ send: 'commit comment "{comment}"' }],
    confirm: [{ send: "commit confirmed {minutes}" }],
    discard: [{ send: "rollback 0" }],
    failed: [/^error:/m, /commit failed/i],
  },
  files: {
    by: ["sftp", "scp"],
    hash: { algorithm: "md5", command: "file checksum md5 {path}", match: /= ([0-9a-f]{32})/i },
  },
} satisfies PlatformPlugin;
