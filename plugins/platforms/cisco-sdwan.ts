/** Cisco SD-WAN, formerly Viptela: vEdge, vSmart, vBond, vManage. */
import type { PlatformPlugin } from "patchbay/plugin";
import { confdCandidate, confdErrors, confdLeave } from "./family/confd.ts";
import { ciscoLevels, morePager, nameChar, quotingKeys } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "cisco_viptela",
  detect: [{ send: "show system status", says: /Viptela, Inc/i }],
  levels: {
    exec: { prompt: ciscoLevels.privileged.prompt, example: "R1# " },
    config: {
      ...ciscoLevels.config,
      from: "exec",
      enter: "config terminal",
      example: "R1(config)# ",
      leaveQuestions: confdLeave,
    },
    shell: {
      prompt: new RegExp(`(?:[\\w.-]{1,64}@)?${nameChar}{1,100}:[^\\n]{0,200}\\$ `),
      example: "R1:~$ ",
      from: "exec",
      enter: "vshell",
      leave: "exit",
    },
  },
  home: "exec",
  config: "config",
  prepare: ["paginate false"],
  goodbye: ["exit"],
  keys: quotingKeys,
  errors: confdErrors,
  pager: morePager,
  candidate: confdCandidate,
  simulated: {
    refusal: "syntax error: unknown command",
    rename: "system host-name {name}",
    committed: "Commit complete.",
  },
  unsure: [
    "refusals",
    "format of the pager",
    "questions of `revert`",
    "candidate.confirm: whether it survives the end of its session",
  ],
} satisfies PlatformPlugin;
