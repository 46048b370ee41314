/** Yamaha RTX, NVR and FWX routers. */
import type { PlatformPlugin } from "patchbay/plugin";
import { spacedName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "yamaha",
  detect: [{ send: "show copyright", says: /Yamaha Corporation/i }],
  levels: {
    // Without `console prompt` the prompt has no name.
    user: { prompt: new RegExp(`(?:${spacedName}|\\[[^\\[\\]\\n]{1,80}\\])?> `), example: "R1> " },
    administrator: {
      prompt: new RegExp(`(?:${spacedName}|\\[[^\\[\\]\\n]{1,80}\\])?# `),
      example: "R1# ",
      from: "user",
      enter: "administrator",
      leave: "exit",
      asks: /password:\s*$/i,
      refused: /^\s*(?:Incorrect password|Password incorrect|Error:)/im,
      leaveQuestions: [
        { ask: /\(Y\/N\)\s*$/i, example: "Save new configuration ? (Y/N)", reply: "N", newline: false },
      ],
    },
  },
  home: "user",
  config: "administrator",
  prepare: ["console lines infinity", "console columns 200"],
  errors: [/^\s*Error: /m],
  pager: { prompt: /---(?:つづく|more)---/i, press: " ", example: "---more---" },
  saveLevel: "administrator",
  save: [{ send: "save", failed: /^\s*Error: /m }],
  simulated: {
    refusal: "Error: Invalid command name",
    denied: "Incorrect password",
    saved: "Saving ... CONFIG0 Done .",
    rename: "console prompt {name}",
  },
  legacySsh: true,
  unsure: ["encoding: consoles in Japanese are often Shift_JIS; set `console character en.ascii`"],
} satisfies PlatformPlugin;
