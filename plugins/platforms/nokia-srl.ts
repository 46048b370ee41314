/** Nokia SR Linux: two-line prompts, a private candidate. */
import type { PlatformPlugin } from "patchbay/plugin";

/**
 * `--{ + candidate shared default }--[ interface ethernet-1/1 ]--`; signs and upper-case words may precede the mode.
 */
function mode(name: string): RegExp {
  return new RegExp(
    `--\\{(?:[+*! ]|\\[[^\\[\\]\\n]{1,40}\\]){0,12}${name}\\b[^{}\\n]{0,80}\\}--\\[[^\\n]{0,300}\\]--\\s*\\n[A-Z]:[^\\s#<>]{1,160}# ?`,
  );
}

export default {
  api: 1,
  kind: "platform",
  name: "nokia_srl",
  levels: {
    running: {
      prompt: mode("running"),
      example: "--{ running }--[  ]--\nA:R1# ",
    },
    candidate: {
      prompt: mode("candidate"),
      example: "--{ candidate private private-admin }--[  ]--\nA:R1# ",
      from: "running",
      enter: "enter candidate private",
      // Uncommitted changes are dropped with the private candidate.
      leave: "discard now",
    },
    // Shows another datastore.
    state: {
      prompt: mode("(?:state|show)"),
      example: "--{ state }--[  ]--\nA:R1# ",
      from: "running",
      enter: "enter state",
      leave: "enter running",
    },
  },
  home: "running",
  config: "candidate",
  // The path remains after the candidate is left and applies to later reads.
  context: { pattern: /\}--\[ (\S[^\n]{0,290}?) +\]--/, leave: "/" },
  // The basic engine has no line editor that repaints.
  prepare: ["environment complete-on-space false", "environment cli-engine type basic"],
  errors: [/^\s*(?:MINOR|MAJOR|CRITICAL|Error|Parsing error)\b[^\n]{0,20}:/m, /^\s*Unknown token/m],
  pager: { prompt: /--More--/i, press: " " },
  save: [{ send: "save startup", failed: /^\s*(?:Error|MINOR|MAJOR)/m }],
  candidate: {
    own: true,
    diff: "diff",
    commit: [{ send: "commit stay" }],
    commitComment: [{ send: 'commit stay comment "{comment}"' }],
    discard: [{ send: "discard stay" }],
    failed: [/^\s*(?:Error|MINOR|MAJOR|CRITICAL)\b[^\n]{0,20}:/m],
  },
  simulated: {
    refusal: "Parsing error: Unknown token 'bogus'.",
    committed: "All changes have been committed. Staying in candidate mode.",
    rename: "set / system name host-name {name}",
  },
  unsure: ["candidate: whether `discard now` leaves without changes"],
} satisfies PlatformPlugin;
