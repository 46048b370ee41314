/** Palo Alto Prisma SD-WAN, formerly CloudGenix: the toolkit of ION devices. */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "cloudgenix_ion",
  levels: { toolkit: { prompt: new RegExp(`${hostName}(?:\\([^()\\n]{1,40}\\))?[#>] ?`), example: "R1# " } },
  home: "toolkit",
  goodbye: ["exit"],
  errors: [/^\s*(?:%\s*)?(?:Unknown|Invalid|Unrecognized|Incomplete|Ambiguous) (?:command|input|argument)/im],
  // `config …` commands persist; the rest, including the name, comes from the controller.
  save: [],
  terminal: { cols: 100, rows: 1000 },
  simulated: { refusal: "Invalid command", rename: null },
  unsure: ["prompt", "refusals", "that changes persist without a save"],
} satisfies PlatformPlugin;
