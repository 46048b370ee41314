/** Cisco ACI controllers (APIC), with the NX-OS style CLI. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "cisco_apic",
  levels: {
    exec: { prompt: ciscoLevels.privileged.prompt, example: "R1# " },
    config: { ...ciscoLevels.config, from: "exec", example: "R1(config)# " },
    shell: {
      prompt: /[\w.-]{1,64}@[\w.-]{1,100}:[^\n]{0,200}[>#$] ?/,
      example: "admin@R1:~> ",
      from: "exec",
      enter: "bash",
      leave: "exit",
    },
  },
  home: "exec",
  config: "config",
  prepare: ["terminal length 0"],
  goodbye: ["exit"],
  errors: [...ciscoErrors, /^Error:/m, /^bash: [^\n]{1,80}: command not found$/m],
  pager: morePager,
  // The controllers persist every line at once.
  save: [],
  simulated: {
    refusal: "Error: Invalid argument 'bogus'. Please check syntax in command reference guide",
    // The name of a controller is set during its setup.
    rename: null,
  },
  unsure: ["prompts, refusals and pager", "that a login lands in the CLI and not in bash"],
} satisfies PlatformPlugin;
