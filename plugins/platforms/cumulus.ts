/** NVIDIA Cumulus Linux: a shell with NVUE; lines are shell lines, `nv set …` among them. */
import type { PlatformPlugin } from "patchbay/plugin";
import linux from "./linux.ts";

export default {
  ...linux,
  name: "cumulus_linux",
  detect: [{ send: "uname -a", says: /Linux cumulus/i }],
  errors: [...linux.errors, /^(?:Error|Invalid Command):/m],
  // NVUE keeps a pending revision for each user: that of root holds the lines.
  saveLevel: "root",
  save: [
    {
      send: "nv config apply -y",
      questions: [{ ask: /Are you sure\? \[y\/N\]\s*$/i, reply: "y" }],
      failed: /^(?:Error|Invalid|Warning: apply failed)|command not found|no config to apply$/im,
    },
    { send: "nv config save", failed: /^(?:Error|Invalid)|command not found/im },
  ],
  simulated: { ...linux.simulated, saved: "applied" },
  unsure: ["save on releases before 5, which have no NVUE: it fails there"],
} satisfies PlatformPlugin;
