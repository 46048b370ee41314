/** Ubiquiti: EdgeSwitch, UniFi switch, EdgeRouter (EdgeOS, based on Vyatta). */
import type { PlatformPlugin } from "patchbay/plugin";
import { quotingKeys } from "./family/family.ts";
import { fastpath, fastpathLevels, fastpathSave } from "./family/fastpath.ts";
import { vyatta, vyattaErrors, vyattaLevels } from "./family/vyatta.ts";

const edgeSwitch: PlatformPlugin = {
  ...fastpath,
  name: "ubiquiti_edgeswitch",
  aliases: ["ubiquiti_edge"],
  detect: [{ send: "show version", says: /EdgeSwitch/i }],
  save: fastpathSave,
  unsure: ["answer to a wrong enable password"],
};

/** A name without parentheses belongs to the shell. */
const bare = /^[^(]/;

const unifiSwitch: PlatformPlugin = {
  ...fastpath,
  name: "ubiquiti_unifiswitch",
  levels: {
    // A login lands in a Linux shell; the switch CLI listens on the device's loopback.
    shell: { prompt: /[^\n]{0,120}[\w~)\]][#$] /, example: "R1-US.4.3.20# " },
    ...fastpathLevels,
    exec: { ...fastpathLevels.exec, from: "shell", enter: "telnet localhost", leave: "exit", not: bare },
    privileged: { ...fastpathLevels.privileged, not: bare },
  },
  goodbye: ["exit", "exit"],
  save: fastpathSave,
  simulated: { ...fastpath.simulated, lands: "shell" },
  unsure: ["the prompt of the shell", "answer to a wrong enable password"],
};

const edgeRouter: PlatformPlugin = {
  ...vyatta,
  name: "ubiquiti_edgerouter",
  levels: vyattaLevels("ubnt@R1"),
  prepare: ["terminal width 512", "terminal length 0"],
  keys: quotingKeys,
  continues: /> /,
  errors: [/^\s*(?:Invalid command|Invalid value|Incomplete command|Ambiguous command)/m, ...vyattaErrors],
  pager: { prompt: /:|lines \d+-\d+/, press: " ", example: ":" },
  save: [{ send: "save", success: /Done/, failed: /^\s*(?:Save failed|Error|Invalid)/im }],
  simulated: { ...vyatta.simulated, refusal: "\nInvalid command\n" },
};

export default [edgeSwitch, unifiSwitch, edgeRouter];
