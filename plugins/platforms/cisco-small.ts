/** Cisco Small Business switches: 200, 220, 250, 300, 350, 500, 550, CBS. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoLevels } from "./family/family.ts";
import { rosErrors, rosLogin, rosPager, rosSave } from "./family/ros.ts";

const shared = {
  api: 1,
  kind: "platform",
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  login: rosLogin,
  errors: rosErrors,
  pager: rosPager,
  save: rosSave,
  simulated: {
    refusal: "% Unrecognized command",
    saved: "%COPY-N-TRAP: The copy operation was completed successfully",
  },
  legacySsh: true,
} satisfies Partial<PlatformPlugin>;

const s300: PlatformPlugin = {
  ...shared,
  name: "cisco_s300",
  prepare: ["terminal datadump", "terminal width 511"],
  unsure: ["answer to a wrong enable password"],
};

const s200: PlatformPlugin = {
  ...shared,
  name: "cisco_s200",
  prepare: ["terminal length 0", "terminal datadump"],
  unsure: ["refusals, pager and the question of a save: taken from the 300 series"],
};

export default [s300, s200];
