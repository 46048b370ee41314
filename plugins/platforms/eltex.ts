/** Eltex: switches (MES), service routers (ESR, vESR). */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoLevels, ciscoStyle } from "./family/family.ts";
import { rosErrors, rosPager, rosSave } from "./family/ros.ts";

const mes: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "eltex",
  levels: { ...ciscoLevels, config: { ...ciscoLevels.config, enter: "configure" } },
  home: "privileged",
  config: "config",
  // The second command is for MES14xx, 24xx and 37xx.
  prepare: ["terminal datadump", "set cli pagination off"],
  errors: rosErrors,
  pager: { ...rosPager, prompt: new RegExp(`${rosPager.prompt.source}|--More--`, "i") },
  save: rosSave,
  simulated: {
    refusal: "% Unrecognized command",
    saved: "%COPY-N-TRAP: The copy operation was completed successfully",
  },
  legacySsh: true,
  unsure: ["refusals", "answer to a wrong enable password", "save on MES14xx and 24xx"],
};

const style = ciscoStyle({ blank: " " });

const esr: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "eltex_esr",
  levels: {
    ...style,
    config: { ...style.config, enter: "configure" },
  },
  home: "privileged",
  config: "config",
  prepare: ["terminal datadump"],
  errors: [/^\s*Syntax error:/m, /^\s*error - /im, /^\s*%? ?(?:Unknown|Ambiguous|Incomplete) command/im],
  pager: {
    prompt: /More\? Enter - next line[^\n]*/i,
    press: " ",
    example: "More? Enter - next line; Space - next page; Q - quit; R - show the rest.",
  },
  // A commit is reverted after its timer unless it is confirmed.
  candidate: {
    diff: "do show configuration changes",
    commit: [{ send: "do commit" }, { send: "do confirm" }],
    discard: [{ send: "do rollback" }],
    failed: [/^\s*(?:Can't commit configuration|error\b)/im],
  },
  simulated: {
    refusal: "Syntax error: Unknown command",
    committed:
      "Configuration has been successfully applied and saved to flash. Commit timer started, changes will be reverted in 600 seconds.",
  },
  unsure: [
    "candidate.diff and discard",
    "answer to a wrong enable password",
    "a confirmation without a pending commit counts as success",
  ],
};

export default [mes, esr];
