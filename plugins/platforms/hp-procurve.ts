/** HP ProCurve and Aruba AOS-S switches: 2530, 2930, 3810, 5400. */
import type { PlatformPlugin } from "patchbay/plugin";
import { blankSecret, ciscoStyle, spacedName } from "./family/family.ts";
import { procurveRunning } from "./family/running.ts";

/**
 * Names may contain blanks: `HP ProCurve Switch 2626# `; every mode is in parentheses: `R1(vlan-10)# `, `R1(eth-1)# `.
 */
const style = ciscoStyle({ name: spacedName, blank: " " });

export default {
  api: 1,
  kind: "platform",
  name: "hp_procurve",
  aliases: ["aruba_osswitch", "aruba_procurve"],
  detect: [{ send: "show version", says: /Image stamp.*\/code\/build/i }],
  levels: {
    exec: style.exec,
    privileged: blankSecret({
      ...style.privileged,
      leave: "exit",
      refused: /^(?:Invalid password|Unable to verify password|Not authorized|% ?Access denied)/im,
    }),
    config: style.config,
  },
  home: "privileged",
  config: "config",
  login: [
    {
      ask: /press any key to continue[^\n]*$/i,
      example: "Press any key to continue",
      reply: "",
    },
  ],
  prepareAt: { level: "privileged", commands: ["terminal width 511", "no page"] },
  // `logout` asks for confirmation, then whether to save, which could include changes by others.
  goodbye: ["logout", "y", "n"],
  running: procurveRunning,
  errors: [
    /^(?:Invalid|Incomplete|Ambiguous) input: /m,
    /^(?:Module not present|Error setting value|Inconsistent value|Unable to)/m,
  ],
  pager: {
    prompt: /-- MORE --, next page: Space[^\n]*/i,
    press: " ",
    example: "-- MORE --, next page: Space, next line: Enter, quit: Control-C",
  },
  questions: [
    // `enable` asks for a username if the switch uses an AAA server.
    { ask: /^(?:user ?name|login(?: name)?)\s*:\s*$/i, reply: "{username}" },
    { ask: /\[y\/n\]\s*\??\s*$/i, reply: "y" },
  ],
  save: [{ send: "write memory", failed: /^(?:Invalid|Incomplete|Ambiguous) input|fail|unable/im }],
  blocks: [
    {
      start: /^\s*banner\s+(?:motd|exec)\s+(\S)/i,
      says: "Enter TEXT message. End with the character'$1'",
    },
  ],
  legacySsh: true,
  simulated: {
    refusal: "Invalid input: bogus",
    denied: "Invalid password",
    modes: [
      { line: /^interface (\S+)$/, mark: "eth-$1" },
      { line: /^vlan (\d+)$/, mark: "vlan-$1" },
      { line: /^ip access-list (?:standard|extended)\b/, mark: "config-ext-nacl" },
    ],
    pipes: "ios",
    dialogues: [
      {
        line: /^(?:reload|boot system)/,
        asks: [
          { text: "System will be rebooted from primary image. Do you want to continue [y/n]?  ", key: true },
          { text: "Do you want to save current configuration [y/n/^C]?  ", key: true },
        ],
      },
    ],
  },
  unsure: ["answer to a wrong enable password"],
} satisfies PlatformPlugin;
