/** D-Link managed switches with the CLI of the DES, DGS and DXS series. */
import type { PlatformPlugin } from "patchbay/plugin";
import { spacedName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "dlink_ds",
  levels: {
    admin: { prompt: new RegExp(`${spacedName}(?:\\([^()\\n]{1,48}\\))?[#>] ?`), example: "R1:admin#" },
  },
  home: "admin",
  // With paging enabled, `show ports` and similar commands repaint the screen and wait for a key.
  prepare: ["disable clipaging"],
  // A global setting, restored at the end.
  goodbye: ["enable clipaging", "logout"],
  errors: [/^(?:Next possible completions|Available commands):/m, /^\s*Fail!/im, /^ERROR:/m],
  pager: {
    prompt: /CTRL\+C ESC q Quit SPACE n Next Page[^\n]*/i,
    press: " ",
    example: "CTRL+C ESC q Quit SPACE n Next Page ENTER Next Entry a All ",
  },
  questions: [{ ask: /\(y\/n\)\s*[?:]?\s*$/i, reply: "y" }],
  save: [{ send: "save", failed: /fail|error/i }],
  simulated: {
    refusal: "Available commands:\n..                  ?                   clear               config",
    saved: "Saving all configurations to NV-RAM.......... Done.",
    rename: "config command_prompt {name}",
  },
  legacySsh: true,
} satisfies PlatformPlugin;
