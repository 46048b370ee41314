/** Asterfusion AsterNOS: SONiC with a Cisco-style CLI. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors } from "./family/family.ts";
import { sonic, sonicShellError } from "./family/sonic.ts";

export default {
  ...sonic,
  name: "asterfusion_asternos",
  prepareAt: { level: "privileged", commands: ["terminal raw-output"] },
  errors: [/^%? ?Error\b/m, /^Syntax error/im, ...ciscoErrors, sonicShellError],
  questions: [{ ask: /[[(]y(?:es)?\/n(?:o)?[\])]\s*[?:]?\s*$/i, reply: "y" }],
  save: [{ send: "write", failed: /^\s*%? ?Error|fail/im }],
  simulated: { refusal: "%Error: Invalid input detected at '^' marker." },
  unsure: ["wording of refusals", "questions of a save", "format of the pager, which is disabled"],
} satisfies PlatformPlugin;
