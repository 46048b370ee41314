/** MikroTik RouterOS and SwitchOS. */
import type { PlatformPlugin } from "patchbay/plugin";
import { routerosRunning } from "./family/running.ts";

const shared = {
  api: 1,
  kind: "platform",
  levels: {
    exec: {
      prompt: /\[[^[\]\n@]{1,64}@[^\n]{1,80}?\] ?(?:\/?[\w\-/ ]{1,120})?(?:<SAFE>>?|(?:[{(]\.{3})?>) ?/,
      example: "[admin@R1] > ",
    },
  },
  home: "exec",
  // No colours, no terminal detection, 511 columns, 4098 rows: avoids repaints and paging.
  loginAs: "{username}+ct511w4098h",
  terminal: { cols: 511, rows: 4095 },
  newline: "\r\n",
  context: { pattern: /\] ?\/?([\w\-/][\w\-/ ]{0,120}?) ?(?:<SAFE>)?>? ?$/, enter: "/{context}", leave: "/" },
  login: [
    {
      ask: /Do you want to see the software license\?[^\n]{0,24}$/i,
      example: "Do you want to see the software license? [Y/n]: ",
      reply: "n",
      newline: false,
    },
    { ask: /Please press "Enter" to continue!\s*$/i, reply: "" },
    { ask: /^new password>\s*$/im, reply: "\x03", newline: false },
  ],
  errors: [
    /^\s*(?:bad command name|expected end of command|expected command name|syntax error|failure:|input does not match any value of|invalid (?:value|internal item)|no such (?:item|command)|not enough permissions|missing value\(s\) of|ambiguous value|value of [^\n]{1,60} (?:expects|must|out of))/m,
  ],
  // A question mark is text from RouterOS 7 on. Ctrl-X enters and leaves the safe mode.
  keys: { "\t": null },
  controls: "\x18",
  // `\... `, `{... `, `"... `: a line that ends with a backslash, an open brace, an open quote.
  continues: /(?:\[[^\]\n]{1,120}\] ?)?[\\{"'([$]{1,3}\.\.\. ?>? ?/,
  pager: {
    prompt: /-- \[Q quit\|D dump\|[^\]\n]{1,60}\]/,
    press: "d",
    example: "-- [Q quit|D dump|down]",
  },
  questions: [{ ask: /\[y\/N\][:?]?\s*$/i, reply: "y" }],
  // Each command takes effect and persists.
  save: [],
  goodbye: ["/quit"],
  simulated: {
    refusal: "bad command name bogus (line 1 column 1)",
    rename: "/system identity set name={name}",
  },
} satisfies Partial<PlatformPlugin>;

export default [
  {
    ...shared,
    name: "mikrotik_routeros",
    running: routerosRunning,
    unsure: [
      "running.otherwise: the answer of version 6 to the unknown word",
      "running.menus: `!name` for properties without a default in the data; numbers in `find` are compared as they are written",
    ],
    files: { by: ["sftp", "scp"] },
  },
  { ...shared, name: "mikrotik_switchos" },
] satisfies PlatformPlugin[];
