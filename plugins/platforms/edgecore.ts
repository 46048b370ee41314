/** Edgecore SONiC, through its Linux shell: `config …` as root. */
import type { PlatformPlugin } from "patchbay/plugin";
import linux from "./linux.ts";

export default {
  ...linux,
  name: "edgecore_sonic",
  detect: [],
  errors: [...linux.errors, /^Error: /m],
  saveLevel: "root",
  save: [{ send: "config save -y", failed: /^Error|command not found|fail/im }],
  simulated: { ...linux.simulated, saved: "Running command: /usr/local/bin/sonic-cfggen -d --print-data" },
  unsure: ["save"],
} satisfies PlatformPlugin;
