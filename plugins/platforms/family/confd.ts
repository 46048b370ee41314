/** Common parts of CLIs built on ConfD in its Cisco style. */
import type { Candidate, Question } from "patchbay/plugin";

/** Asked by `end` in configuration mode. */
export const confdLeave: readonly Question[] = [
  {
    ask: /Uncommitted changes found, commit them\?[^\n]*$/i,
    example: "Uncommitted changes found, commit them? [yes/no/CANCEL] ",
    reply: "no",
  },
];

export const confdErrors: readonly RegExp[] = [
  /^(?:syntax error|Error|Aborted):/m,
  /^% ?(?:Invalid|Incomplete|Ambiguous|Unknown|No entries|Error)/m,
];

const proceed: Question = { ask: /Proceed\?\s*\[yes,\s*no\]\s*$/i, reply: "yes" };

export const confdCandidate: Candidate = {
  diff: "show configuration",
  // Validation warnings ask whether to proceed.
  commit: [{ send: "commit", questions: [proceed] }],
  commitComment: [{ send: 'commit comment "{comment}"', questions: [proceed] }],
  confirm: [{ send: "commit confirmed {minutes}", questions: [proceed] }],
  discard: [{ send: "revert", questions: [proceed] }],
  failed: [/^\s*(?:Aborted|Error|Failed):/m],
};
