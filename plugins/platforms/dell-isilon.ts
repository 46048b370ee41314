/** Dell Isilon and PowerScale storage (OneFS), through its shell. */
import type { PlatformPlugin } from "patchbay/plugin";
import linux from "./linux.ts";

export default {
  ...linux,
  name: "dell_isilon",
  detect: [],
  levels: {
    user: { ...linux.levels.user, example: "R1-1% " },
    root: { ...linux.levels.root, example: "R1-1# ", enter: "sudo su" },
  },
  files: {
    by: ["sftp", "scp"],
    hash: { algorithm: "md5", command: "md5 {path}", match: /= ([0-9a-f]{32})/i },
  },
  unsure: ["prompts of shells other than zsh and bash", "files.hash"],
} satisfies PlatformPlugin;
