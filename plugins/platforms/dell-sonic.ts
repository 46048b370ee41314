/** Dell Enterprise SONiC, through its Cisco-style CLI; operators without admin rights land in it directly. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors } from "./family/family.ts";
import { sonic, sonicShellError } from "./family/sonic.ts";

export default {
  ...sonic,
  name: "dell_sonic",
  aliases: ["sonic"],
  prepareAt: { level: "privileged", commands: ["terminal length 0"] },
  errors: [/^%? ?Error:/m, ...ciscoErrors, sonicShellError],
  questions: [{ ask: /\[y\/N\]\s*:?\s*$/i, reply: "y" }],
  save: [{ send: "write memory", failed: /^\s*%? ?Error|fail/im }],
  simulated: { refusal: '% Error: Invalid input detected at "^" marker.', saved: "Success" },
  unsure: ["save with `write memory`"],
} satisfies PlatformPlugin;
