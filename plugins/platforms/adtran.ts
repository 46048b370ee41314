/** Adtran AOS: NetVanta, Total Access 900. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "adtran_os",
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0", "terminal width 132"],
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "copy running-config startup-config", failed: /^\s*%|fail|error/im }],
  simulated: { refusal: "%Unrecognized command", saved: "Building configuration...\nDone. Success!" },
  legacySsh: true,
  telnet: { username: /(?:user ?name|login):\s*$/i },
  unsure: [
    "the second password, requested if no TACACS+ server answers, is not supported",
    "answer to a wrong enable password",
  ],
} satisfies PlatformPlugin;
