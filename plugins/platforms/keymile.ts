/** Keymile (DZS): MileGate access nodes, and NOS. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager } from "./family/family.ts";

const mileGate: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "keymile",
  levels: { exec: { prompt: /(?=[^\s]{0,200}[\w/])[^\s<>#()"'=;]{1,200}> ?/, example: "/> " } },
  home: "exec",
  newline: "\r\n",
  errors: [/^\s*(?:Error|Unknown command|Invalid|Ambiguous)\b[^\n]{0,80}$/im],
  pager: { prompt: /--More--/i, press: " " },
  // Each command takes effect and persists.
  save: [],
  simulated: { refusal: "Unknown command bogus", rename: null },
  legacySsh: true,
  unsure: [
    "the prompt, which shows the path in the command tree",
    "refusals",
    "save: Netmiko inherits Cisco's command",
  ],
};

const nos: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "keymile_nos",
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0"],
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "write memory", failed: /^\s*%|fail|error/im }],
  simulated: { saved: "Building configuration...\n[OK]" },
  telnet: { failed: /Login incorrect/i },
  legacySsh: true,
};

export default [mileGate, nos];
