/** C-DOT CROS: core routers of the Centre for Development of Telematics. */
import type { PlatformPlugin } from "patchbay/plugin";
import { confdCandidate, confdErrors, confdLeave } from "./family/confd.ts";
import { ciscoLevels, morePager, quotingKeys } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "cdot_cros",
  levels: {
    exec: { prompt: ciscoLevels.privileged.prompt, example: "R1# " },
    config: {
      ...ciscoLevels.config,
      from: "exec",
      enter: "config",
      leaveQuestions: confdLeave,
    },
  },
  home: "exec",
  config: "config",
  prepare: ["complete-on-space false", "screen-width 511", "screen-length 0"],
  goodbye: ["exit"],
  keys: quotingKeys,
  errors: confdErrors,
  pager: morePager,
  candidate: confdCandidate,
  simulated: { refusal: "syntax error: unknown command" },
  unsure: [
    "prompts, refusals, discard and confirmed commit: taken from ConfD, on which the CLI is built",
    "that a commit needs no separate save",
    "candidate.confirm: whether it survives the end of its session",
    "the host name command",
  ],
} satisfies PlatformPlugin;
