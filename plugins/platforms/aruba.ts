/** Aruba: wireless controllers and Instant (ArubaOS), CX switches (AOS-CX). AOS-S switches are `hp_procurve`. */
import type { PlatformPlugin } from "patchbay/plugin";
import { blankSecret, ciscoErrors, ciscoStyle, hostName } from "./family/family.ts";
import { aosCxModes } from "./family/modes.ts";
import { aosCxRunning, arubaRunning } from "./family/running.ts";

/**
 * `(R1) ^*[mynode] `: signs for changes not saved or not deployed, and the current node of the hierarchy. Access points
 * show only their name.
 */
const style = ciscoStyle({
  name: `(?:\\([^()\\n]{1,64}\\) ?|${hostName} ?)[*^]{0,2}(?:\\[[^\\[\\]\\n]{1,80}\\] ?)?`,
  gap: " ?",
});

const os: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "aruba_os",
  levels: {
    exec: { ...style.exec, example: "(R1) >" },
    privileged: blankSecret({
      ...style.privileged,
      example: "(R1) [mynode] #",
      leave: "exit",
      refused: /^(?:% ?)?(?:Access denied|Bad password|Bad secrets?|Permission denied|Wrong password)/im,
    }),
    config: {
      // Profiles have their own mode: `(R1) (SSID Profile "guest") #`.
      ...style.config,
      example: "(R1) [mynode] (config) #",
    },
  },
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["no paging"] },
  running: arubaRunning,
  errors: [...ciscoErrors, /^\s*% ?Parse error/im, /^\s*Error: /m],
  pager: {
    prompt: /--More-- \(q\) quit[^\n]*|--More--/i,
    press: " ",
    example: "--More-- (q) quit (u) pageup (/) search (n) repeat ",
  },
  questions: [{ ask: /[[(]y(?:es)?\/n(?:o)?[\])]\s*\??\s*:?\s*$/i, reply: "y" }],
  save: [{ send: "write memory", failed: /^\s*%|^\s*Error|fail/im }],
  newline: "\r",
  simulated: {
    saved: "Saving Configuration...\n\nConfiguration Saved.",
    modes: [
      { line: /^wlan ssid-profile "?([^"]+)"?$/, prompt: '(R1) [mynode] (SSID Profile "$1") #' },
      { line: /^wlan virtual-ap "?([^"]+)"?$/, prompt: '(R1) [mynode] (Virtual AP profile "$1") #' },
      { line: /^aaa profile "?([^"]+)"?$/, prompt: '(R1) [mynode] (AAA Profile "$1") #' },
      { line: /^interface\b/, prompt: "(R1) [mynode] (config-if)#" },
      { line: /^vlan \d/, prompt: "(R1) [mynode] (config-vlan)#" },
    ],
    pipes: "ios",
  },
  unsure: ["answer to a wrong enable password"],
};

const cx: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "aruba_aoscx",
  aliases: ["aruba_oscx"],
  detect: [{ send: "show version", says: /ArubaOS-CX/i }],
  levels: {
    // Operators land here; administrators land in the privileged level.
    ...ciscoStyle({ blank: " " }),
  },
  home: "privileged",
  config: "config",
  prepare: ["no page"],
  running: aosCxRunning,
  errors: [
    /^(?:Invalid|Incomplete|Ambiguous) (?:input|command)/m,
    /^\s*% ?(?:Command incomplete|Unknown command|Ambiguous command|Invalid|Incomplete)/m,
  ],
  pager: {
    prompt: /-- MORE --, next page: Space[^\n]*/i,
    press: " ",
    example: "-- MORE --, next page: Space, next line: Enter, quit: q",
  },
  questions: [{ ask: /\(y\/n\)\s*\??\s*:?\s*$/i, reply: "y" }],
  save: [{ send: "copy running-config startup-config", failed: /fail|^\s*%|^Error/im }],
  newline: "\r",
  simulated: {
    refusal: "Invalid input: bogus",
    saved: "Copying configuration: [Success]",
    modes: aosCxModes,
  },
  unsure: ["running: that nothing marks the end", "whether enable asks operators for a password"],
};

export default [os, cx];
