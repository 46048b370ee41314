/** AudioCodes: Mediant gateways and session border controllers (6.6 to 6.8, 7.x), MediaPack with its shell. */
import type { PlatformPlugin } from "patchbay/plugin";
import { blankSecret, ciscoStyle, spacedName } from "./family/family.ts";

/** Product names contain blanks; a star marks unsaved changes. */
const style = ciscoStyle({ name: `${spacedName}\\*?`, gap: "\\*?", blank: " " });

const errors = [
  /^\s*(?:% ?)?(?:Invalid|Incomplete|Ambiguous|Unknown|Unrecognized|Illegal) (?:command|input|parameter|value)/im,
  /^\s*(?:Error|Command failed|Command not found|Activate operation failed)\b/im,
];

const shared = {
  api: 1,
  kind: "platform",
  levels: {
    exec: style.exec,
    privileged: blankSecret({
      ...style.privileged,
      refused: /^(?:% ?)?(?:Access denied|Invalid password|Wrong password|Incorrect password)/im,
    }),
    // The job's own lines enter the other branches (`configure voip`, `configure network`).
    config: {
      ...style.config,
      example: "R1(config-system)# ",
      enter: "configure system",
      leave: "exit",
    },
  },
  home: "privileged",
  config: "config",
  // The window height is a configuration line, so the pager is answered instead.
  errors,
  pager: { prompt: /--MORE--/i, press: " ", example: "--MORE--" },
  questions: [{ ask: /[[(]y(?:es)?\/n(?:o)?[\])]\s*[?:]?\s*$/i, reply: "y" }],
  save: [{ send: "write", failed: /fail|^\s*(?:Error|Invalid|%)/im }],
  newline: "\r",
  simulated: { refusal: "Invalid command", saved: "Writing configuration...done" },
  unsure: [
    "wording of refusals",
    "answer to a wrong enable password",
    "lines are sent in `configure system` unless they enter another branch",
  ],
} satisfies Partial<PlatformPlugin>;

const shell: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "audiocode_shell",
  levels: {
    root: { prompt: /\/> ?/, example: "/> " },
    config: {
      prompt: /(?:\/[A-Z]{2}\w{0,30}){1,4}\/?> ?/,
      example: "/CONFiguration> ",
      from: "root",
      enter: "CONFiguration",
      leave: "..",
    },
  },
  home: "root",
  config: "config",
  errors,
  pager: { prompt: /--MORE--|Press any key to continue[^\n]*/i, press: " ", example: "--MORE--" },
  save: [{ send: "SaveConfiguration", failed: /fail|^\s*(?:Error|Invalid|Unknown)/im }],
  newline: "\r",
  legacySsh: true,
  // The prompt is the path in the command tree.
  simulated: { refusal: "Unknown command", saved: "Configuration saved", rename: null },
  unsure: [
    "wording of refusals",
    "format of the pager",
    "that the command for configuration mode is its name",
  ],
};

const mediant72: PlatformPlugin = { ...shared, name: "audiocode_72" };
const mediant66: PlatformPlugin = { ...shared, name: "audiocode_66", legacySsh: true };

export default [mediant72, mediant66, shell];
