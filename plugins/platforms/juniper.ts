/** Juniper Junos. */
import type { PlatformPlugin } from "patchbay/plugin";
import { junosReads } from "./family/reads-others.ts";
import { junosRunning } from "./family/running.ts";
import { junosWays } from "./family/ways.ts";

/**
 * `admin@R1`, optionally with a logical system or tenant after a colon. Parentheses belong to the name: `lab@R1(re0)`.
 */
const user =
  "(?=[^\\s]{0,200}[\\w])(?:[^\\s@<>#%$:]{1,64}@)?[^\\s@<>#%$:\"'=]{0,253}(?::(?![~/])[^\\s<>#%$:~\"'=]{1,64})?";
/**
 * FreeBSD shows a path between colon and `#`, older releases the routing engine, Junos Evolved a leading routing
 * instance.
 */
const shell = [
  "(?:\\[vrf:[^\\]\\n]{1,64}\\] ?)?[\\w.-]{1,64}@[^\\s:#>$%]{0,120}:[~/][^\\n#>$%]{0,160}[#$%]",
  "[\\w.-]{1,64}@[^\\s#>$%]{0,120}[%$]",
  "root@[^\\n%#>$]{0,60}[%$]",
  "-?\\w{0,8}sh-[\\d.]{1,8}[#$%]",
  "[^\\n\\S]*[%$]",
].join("|");

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
    shell: { prompt: new RegExp(`(?:${shell}) ?`), example: "root@R1% " },
    // Root lands in a shell; everybody else lands in the CLI.
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
          ask: /(?:Exit with|Discard) uncommitted changes\?[^\n]*$/i,
          example: "Exit with uncommitted changes? [yes,no] (yes)",
          reply: "yes",
        },
      ],
    },
  },
  home: "exec",
  config: "config",
  context: {
    pattern: /^[^\s@]{1,64}@[^\s:]{1,253}:([^\s:~/]{1,64})[>#]/,
    enter: "set cli logical-system {context}",
    leave: "clear cli logical-system",
  },
  prepareAt: {
    level: "exec",
    commands: ["set cli screen-width 511", "set cli complete-on-space off", "set cli screen-length 0"],
  },
  // Routing engine and configuration path are on a separate line.
  above: /^(?:\{[\w:-]+\}\s*)?(?:\[edit[^\]\n]*\])?$/,
  errors: [
    /^(?:unknown command|syntax error|error:|missing mandatory argument|invalid (?:numeric )?value|No valid completions)/m,
    /^'[^'\n]+' is ambiguous/m,
    /^\s*\^\n\s*(?:unknown command|syntax error|missing argument)/m,
  ],
  simulated: {
    lands: "exec",
    rename: "set system host-name {name}",
    ways: junosWays,
    pipes: "junos",
    contexts: [
      {
        enter: /^set cli logical-system (\S+)$/,
        name: "R1:$1",
        leave: /^clear cli logical-system$/,
      },
    ],
    dialogues: [{ line: /^request system reboot$/, asks: [{ text: "Reboot the system ? [yes,no] (no) " }] }],
  },
  // Pasted text ends with Ctrl-D.
  blocks: [
    {
      start: /^\s*load (?:merge|override|patch|replace|set|update) terminal\b/,
      end: /^\x04$/,
      says: "[Type ^D at a new line to end input]",
    },
  ],
  // Within quotes a question mark is text.
  keyQuotes: '"',
  controls: "\x04",
  pager: { prompt: /---\(more(?: \d+%)?\)---\s*$/, press: " ", example: "---(more 40%)---" },
  candidate: {
    own: "configure private",
    diff: "show | compare",
    commit: [{ send: "commit" }],
    commitComment: [{ send: 'commit comment "{comment}"' }],
    confirm: [{ send: "commit confirmed {minutes}" }],
    confirmComment: [{ send: 'commit confirmed {minutes} comment "{comment}"' }],
    discard: [{ send: "rollback 0" }],
    failed: [/^error:/m, /commit failed/i],
  },
  running: junosRunning,
  reads: junosReads,
  undo: [
    {
      way: "confirmed_commit",
      timer: { mostMinutes: 65_535 },
      level: "config",
      keep: [{ send: "commit" }],
      back: [{ send: "rollback 1" }, { send: "commit" }],
      alone: true,
    },
  ],
  files: {
    by: ["sftp", "scp"],
    hash: { algorithm: "md5", command: "file checksum md5 {path}", match: /= ([0-9a-f]{32})/i },
  },
} satisfies PlatformPlugin;
