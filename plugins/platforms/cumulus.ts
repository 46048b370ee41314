/** NVIDIA Cumulus Linux: a shell with NVUE; configuration lines are shell commands, such as `nv set …`. */
import type { PlatformPlugin } from "patchbay/plugin";
import linux from "./linux.ts";

export default {
  ...linux,
  name: "cumulus_linux",
  detect: [{ send: "uname -a", says: /Linux cumulus/i }],
  errors: [...linux.errors, /^(?:Error|Invalid Command):/m],
  // NVUE has one pending revision per user; the lines are in that of root.
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
  unsure: ["save fails on releases before 5, which lack NVUE"],
} satisfies PlatformPlugin;
