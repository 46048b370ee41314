/** F5 BIG-IP: tmsh, started from a root shell or as login shell, and the Linux shell. */
import type { PlatformPlugin } from "patchbay/plugin";
import linux from "./linux.ts";

const tmsh: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "f5_tmsh",
  aliases: ["f5_ltm"],
  detect: [{ send: "show sys version", says: /BIG-IP/i }],
  levels: {
    bash: {
      prompt: /\[[\w.-]{1,64}@[^\]\n]{1,160}\] ?[^\s\]]{1,80} ?[#$] ?/,
      example: "[root@R1:Active:Standalone] config # ",
    },
    // Users with tmsh as login shell land here.
    tmsh: {
      prompt: /[^\n]{1,200}\(tmos(?:\.[^()\n]{1,160})?\)# ?/,
      example: "root@(R1)(cfg-sync Standalone)(Active)(/Common)(tmos)# ",
      from: "bash",
      enter: "tmsh",
      leave: "quit",
    },
  },
  home: "tmsh",
  prepareAt: { level: "tmsh", commands: ["modify cli preference pager disabled display-threshold 0"] },
  errors: [/^\s*(?:Syntax Error|Data Input Error|Unexpected Error):/m, /^\s*\d{8}:\d: /m],
  pager: {
    prompt: /---\(less \d+%\)---/,
    press: " ",
    example: "---(less 40%)---",
    // The end of a pager must be left with a key; a long list asks for confirmation, whatever the account's threshold.
    others: [
      { prompt: /\(END\)/, press: "q" },
      { prompt: /Display all \d+ items\?\s*\(y\/n\)/i, press: "y" },
    ],
  },
  questions: [{ ask: /\(y\/n\)\s*$/i, reply: "y" }],
  save: [{ send: "save sys config", failed: /Error:|fail/i }],
  goodbye: ["quit"],
  simulated: {
    refusal: 'Syntax Error: unexpected argument "bogus"',
    saved: "Saving running configuration...\n  /config/bigip.conf",
    rename: "modify sys global-settings hostname {name}",
  },
  unsure: [
    "disabling the pager changes a stored user preference",
    "the width of the terminal is not set in bash",
  ],
};

export default [
  tmsh,
  { ...linux, name: "f5_linux", detect: [{ send: "cat /etc/issue", says: /BIG-IP/i }] },
] satisfies PlatformPlugin[];
