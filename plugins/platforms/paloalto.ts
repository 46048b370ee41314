/** Palo Alto Networks PAN-OS firewalls and Panorama. */
import type { PlatformPlugin } from "patchbay/plugin";
import { panosRunning } from "./family/running.ts";

/** `admin@R1(active)`, optionally a blank and the selected virtual system; directory users have a domain prefix. */
const user =
  "[^\\s@<>#\"'=][^\\n@<>#\"'=]{0,80}@[^\\s@<>#()\"'=]{1,63}(?: ?\\([^()\\n]{1,40}\\))?(?: [\\w.-]{1,32})?";

export default {
  api: 1,
  kind: "platform",
  name: "paloalto_panos",
  detect: [{ send: "show system info", says: /model:\s+PA/i }],
  levels: {
    exec: { prompt: new RegExp(`${user}> ?`), example: "admin@R1> " },
    config: {
      prompt: new RegExp(`${user}# ?`),
      example: "admin@R1# ",
      from: "exec",
      enter: "configure",
      leave: "exit",
    },
  },
  home: "exec",
  config: "config",
  context: {
    pattern: / ([\w.-]{1,32})[>#] ?$/,
    enter: "set system setting target-vsys {context}",
    leave: "set system setting target-vsys none",
  },
  above: /^\[edit[^\]\n]*\]$/,
  // Without scripting mode the line editor repaints the input.
  prepare: ["set cli scripting-mode on", "set cli terminal width 500", "set cli pager off"],
  running: panosRunning,
  errors: [
    /^\s*(?:Unknown command|Invalid syntax|Server error|Validation Error|Incomplete command|Ambiguous command)/im,
  ],
  pager: { prompt: /lines \d+-\d+(?:\/\d+)?(?: \d+%)?|--more--/i, press: " ", example: "lines 1-23" },
  questions: [{ ask: /\(y or n\)[^\n]{0,40}$/i, reply: "y" }],
  candidate: {
    // In configuration mode, a plain `show` shows the configuration.
    diff: "run show config diff",
    commit: [
      {
        send: "commit",
        questions: [{ ask: /\(y or n\)[^\n]{0,40}$/i, reply: "y" }],
        success: /configuration committed successfully|no changes to commit/i,
      },
    ],
    commitComment: [
      {
        send: 'commit description "{comment}"',
        success: /configuration committed successfully|no changes to commit/i,
      },
    ],
    discard: [{ send: "revert config" }],
    failed: [/^\s*(?:Commit failed|Validation Error|Server error)/im],
  },
  simulated: {
    refusal: "Unknown command: bogus",
    committed: "Commit job 7 is in progress...\n...100%\nConfiguration committed successfully",
    rename: "set deviceconfig system hostname {name}",
  },
  unsure: [
    "running: whether the text has a single block at the top",
    "candidate.diff and candidate.discard on releases before 8",
  ],
} satisfies PlatformPlugin;
