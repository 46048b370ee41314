/** All tools, in the order in which they are listed: the same for every caller of a mode. */
import type { McpMode } from "./port.ts";
import type { Tool } from "./tool.ts";
import { config, configDiff, configSearch, drift } from "./tools/configurations.ts";
import { findDevices, job, runReadCommand, show } from "./tools/devices.ts";
import { proposeChange } from "./tools/propose.ts";
import { proposeRun, recipes } from "./tools/recipes.ts";
import { rehearse } from "./tools/rehearse.ts";
import { parse, render } from "./tools/templates.ts";

const reading: readonly Tool[] = [
  ...[findDevices, show, runReadCommand, job],
  ...[config, configDiff, configSearch, drift],
  ...[render, parse, rehearse, recipes],
];
const proposing: readonly Tool[] = [proposeChange, proposeRun];

export function toolsOf(mode: McpMode): readonly Tool[] {
  if (mode === "off") return [];
  return mode === "read" ? reading : [...reading, ...proposing];
}
