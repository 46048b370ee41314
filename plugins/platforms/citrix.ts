/** Citrix NetScaler ADC. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "netscaler",
  levels: {
    // Most devices show a bare `>`; `set cli prompt` may add a name.
    exec: { prompt: new RegExp(`(?:${hostName}(?: ?\\([\\w -]{1,20}\\))?)?> `), example: "> " },
    shell: {
      prompt: /root@[\w.-]{1,63}# /,
      example: "root@R1# ",
      from: "exec",
      enter: "shell",
      leave: "exit",
    },
  },
  home: "exec",
  // Successful answers end with it; refusals do not.
  above: / ?Done/,
  prepare: ["set cli mode -page OFF"],
  errors: [/^\s*ERROR: /m],
  pager: { prompt: /--More--/i, press: " " },
  questions: [{ ask: /\(Y\/N\)\?\s*(?:\[N\]:?)?\s*$/i, reply: "y" }],
  save: [{ send: "save ns config", failed: /^\s*ERROR: /m }],
  goodbye: ["exit"],
  simulated: { refusal: "ERROR: No such command", saved: " Done", rename: null },
  unsure: ["save: Netmiko has none; `save ns config` is the system's command"],
} satisfies PlatformPlugin;
