/** FRRouting: `vtysh` as a login shell. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, quotingKeys } from "./family/family.ts";
import { iosModes } from "./family/modes.ts";
import { frrReads } from "./family/reads-others.ts";
import { frrRunning } from "./family/running.ts";

export default {
  api: 1,
  kind: "platform",
  name: "frr_vtysh",
  aliases: ["frr"],
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0"],
  keys: quotingKeys,
  errors: ciscoErrors,
  pipelines: true,
  save: [{ send: "write memory", failed: /^% Can't/m }],
  running: frrRunning,
  reads: frrReads,
  undo: [{ way: "difference" }],
  simulated: { modes: iosModes, pipes: "ios" },
} satisfies PlatformPlugin;
