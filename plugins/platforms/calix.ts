/** Calix B6, formerly Occam BLC. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, ciscoPrepare, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "calix_b6",
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  // SSH accepts every login; the device asks for it in the shell.
  login: [
    { ask: /login as:\s*$/i, example: "login as: ", reply: "{username}" },
    { ask: /^\s*password:\s*$/i, example: "Password: ", reply: "{password}" },
  ],
  prepare: ciscoPrepare,
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "copy running-config startup-config", failed: /^\s*%|fail|error/im }],
  newline: "\r\n",
  legacySsh: true,
  telnet: { username: /(?:login as|login|user ?name):\s*$/i },
  unsure: ["refusals and pager: assumed Cisco style", "answer to a wrong enable password"],
} satisfies PlatformPlugin;
