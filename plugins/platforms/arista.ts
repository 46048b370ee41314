/** Arista EOS. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, ciscoPrepare, morePager } from "./family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "arista_eos",
  aliases: ["arista"],
  detect: [{ send: "show version", says: /Arista|vEOS/i }],
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  prepare: ciscoPrepare,
  errors: [...ciscoErrors, /^% (?:Cannot commit|Duplicate sequence number)/m],
  pager: morePager,
  save: [{ send: "write memory", failed: /^%/m }],
  files: {
    by: ["scp", "sftp"],
    hash: { algorithm: "md5", command: "verify /md5 {path}", match: /= ([0-9a-f]{32})/i },
  },
} satisfies PlatformPlugin;
