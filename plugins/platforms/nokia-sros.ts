/** Nokia SR OS (7750, 7450, 7705, 7210), with both CLIs: MD-CLI and classic. */
import type { PlatformPlugin } from "patchbay/plugin";
import { srosRunning } from "./family/running.ts";

/** The path is on a line above the prompt: `[/]`, in a candidate `*(ex)[/configure router "Base"]`. */
const mode = "[!*]{0,2}\\((?:ex|gl|pr|ro)(?::bof)?\\)";
/** Release 16 shows the mode within the brackets: `*[ex:configure]`. */
const older = "[!*]{0,2}\\[(?:ex|gl|pr|ro):";
const md = "\\n[*!]?[A-Z]:[^\\n@#>]{1,64}@[^\\n#>]{1,80}# ?";
const classic = "[*!]?[A-Z]:[^\\n@#>$]{1,80}";

export default {
  api: 1,
  kind: "platform",
  name: "nokia_sros",
  aliases: ["alcatel_sros"],
  detect: [{ send: "show version", says: /Nokia|Alcatel/i }],
  levels: {
    exec: {
      prompt: new RegExp(`[!*]{0,2}\\[(?!(?:ex|gl|pr|ro):)[^\\]\\n]{0,200}\\]${md}`),
      example: "[/]\nA:admin@R1# ",
    },
    config: {
      prompt: new RegExp(`(?:${mode}\\[/?\\]|${older}/?\\])${md}`),
      example: "(ex)[/]\nA:admin@R1# ",
      from: "exec",
      enter: "edit-config exclusive",
      leave: "quit-config",
      leaveQuestions: [
        {
          ask: /Discard uncommitted changes\?\s*\[y,n\]\s*$/i,
          example: "INFO: CLI #2071: Uncommitted changes are present. Discard uncommitted changes? [y,n] ",
          reply: "y",
        },
      ],
    },
    context: {
      prompt: new RegExp(`(?:${mode}\\[/?|${older}/?)\\w[^\\n]{0,300}\\]${md}`),
      example: "(ex)[/configure]\nA:admin@R1# ",
      from: "config",
      enter: "configure",
      leave: "exit all",
    },
    classic: { prompt: new RegExp(`${classic}# ?`), example: "A:R1# " },
    classicContext: {
      prompt: new RegExp(`${classic}>[^\\n#$]{1,240}[#$] ?`),
      example: "A:R1>config# ",
      from: "classic",
      enter: "configure",
      leave: "exit all",
    },
  },
  home: "exec",
  config: "config",
  inPlace: ["classic"],
  // Each CLI refuses the other one's commands.
  prepare: [
    "environment more false",
    "environment console width 512",
    "environment command-completion space false",
    "environment no more",
  ],
  goodbye: ["logout"],
  running: srosRunning,
  errors: [/^\s*(?:MINOR|MAJOR|CRITICAL|Error): /m],
  pager: {
    prompt: /Press any key to continue \(Q to quit\)/i,
    press: " ",
    example: "Press any key to continue (Q to quit)",
  },
  questions: [{ ask: /\(y\/n\)\s*\??\s*$|\[y[,/]n\]\s*\??\s*$/i, reply: "y" }],
  save: [{ send: "/admin save", failed: /^\s*(?:MINOR|MAJOR|CRITICAL|Error): |fail/im }],
  // No `confirm`: leaving the configuration reverts a pending commit at once.
  candidate: {
    // Exclusive: what was not committed is discarded when its session ends.
    own: true,
    diff: "compare",
    commit: [{ send: "commit" }],
    commitComment: [{ send: 'commit comment "{comment}"' }],
    discard: [{ send: "discard" }],
    failed: [/^\s*(?:MINOR|MAJOR|CRITICAL|Error): /m],
  },
  files: { by: ["scp", "sftp"] },
  simulated: {
    refusal: "              ^^^^^\nMINOR: MGMT_CORE #2201: Unknown element - 'bogus'",
    rename: "configure system name {name}",
  },
  unsure: ["running.changedBy", "enable and enable-admin are not used: the prompt does not show them"],
} satisfies PlatformPlugin;
