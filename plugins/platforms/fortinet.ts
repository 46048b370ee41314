/** Fortinet FortiOS: FortiGate and related. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName, quotingKeys } from "./family/family.ts";
import { fortiReads } from "./family/reads-others.ts";
import { fortiosRunning } from "./family/running.ts";

export default {
  api: 1,
  kind: "platform",
  name: "fortinet",
  aliases: ["fortinet_fortios"],
  detect: [{ send: "get system status", says: /FortiOS|FortiGate/i }],
  levels: {
    // `R1 # `, read-only `R1 $ `, in a cluster `R1(Primary) # `, in a configuration block `R1 (interface) # `.
    exec: {
      prompt: new RegExp(
        `(?:\\(\\w\\) )?${hostName}(?:\\([\\w -]{1,24}\\))? (?:\\([^()\\n]{1,80}\\) ?)?~? ?[#$] ?`,
      ),
      example: "R1 # ",
    },
  },
  home: "exec",
  // A virtual domain, or a configuration block; `end` leaves the innermost one.
  context: { pattern: / \(([^()\n]{1,64})\) ?[#$]/, leave: "end" },
  login: [
    {
      ask: /\(Press '?a'? to accept\):?\s*$/i,
      example: "(Press 'a' to accept):",
      reply: "a",
      newline: false,
    },
  ],
  // `set output standard` would change the configuration, so the pager is answered instead.
  running: fortiosRunning,
  reads: fortiReads,
  errors: [
    /^\s*(?:Command fail\. Return code|Unknown action|(?:command|value) parse error before|entry not found in datasource|node_check_object fail|object check operator error|Attribute ')/im,
  ],
  pager: { prompt: /--More--/i, press: " " },
  keys: quotingKeys,
  questions: [{ ask: /\(y\/n\)\s*$/i, reply: "y", newline: false }],
  // A multi-line value: the prompt is a bare `>` up to its closing quote.
  blocks: [
    {
      start: /^\s*(?:set|append)\s(?:[^"\\\n]|\\.|"(?:[^"\\\n]|\\.)*")*"(?:[^"\\\n]|\\.)*$/,
      end: /^(?:[^"\\\n]|\\.)*"\s*$/,
    },
  ],
  continues: /> ?/,
  // The lines of a block take effect and persist with its `end` or `next`.
  save: [],
  simulated: {
    refusal: "Unknown action 0",
    rename: "set hostname {name}",
    modes: [
      // Entries are nested in their table, tables of a virtual domain in that domain.
      { line: /^edit "?([^"]+)"?$/, prompt: "R1 ($1) # ", within: /^config / },
      { line: /^config vdom$/, prompt: "R1 (vdom) # " },
      { line: /^config global$/, prompt: "R1 (global) # " },
      { line: /^config .*?(\S+)$/, prompt: "R1 ($1) # ", within: /^(?:edit|config) / },
      { line: /^config .*?(\S+)$/, prompt: "R1 ($1) # " },
    ],
    up: /^next$/,
    out: /^end$/,
    dialogues: [
      {
        line: /^execute reboot$/,
        asks: [
          { text: "This operation will reboot the system !\r\nDo you want to continue? (y/n)", key: true },
        ],
      },
    ],
  },
  files: { by: ["scp"] },
  unsure: [
    "running: whether all releases encrypt every secret anew",
    "a push that ends inside a block stays there: end the lines with `end`",
  ],
} satisfies PlatformPlugin;
