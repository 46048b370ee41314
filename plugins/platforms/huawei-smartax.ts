/** Huawei SmartAX access nodes (MA5600, MA5800), also with their machine interface (MMI). */
import type { PlatformPlugin } from "patchbay/plugin";
import { hostName } from "./family/family.ts";

const name = hostName;

const shared = {
  api: 1,
  kind: "platform",
  levels: {
    user: { prompt: new RegExp(`${name}> ?`), example: "R1>" },
    privileged: {
      prompt: new RegExp(`${name}# ?`),
      example: "R1#",
      from: "user",
      enter: "enable",
      leave: "disable",
    },
    config: {
      prompt: new RegExp(`${name}\\((?!diagnose\\))[^()\\n]{1,64}\\)# ?`),
      example: "R1(config)#",
      from: "privileged",
      enter: "config",
      leave: "return",
    },
    diagnose: {
      prompt: new RegExp(`${name}\\(diagnose\\)%% ?`),
      example: "R1(diagnose)%%",
      from: "privileged",
      enter: "diagnose",
      leave: "quit",
    },
  },
  home: "privileged",
  config: "config",
  login: [{ ask: /\[?YES.NO\]?[^\n]{0,16}$/i, reply: "yes" }],
  // Disables completion questions, alarms and paging.
  prepareAt: { level: "privileged", commands: ["undo smart", "infoswitch cli OFF", "scroll"] },
  goodbye: ["quit", "y"],
  errors: [
    /^\s*% ?(?:Unknown command|Incomplete command|Ambiguous command|Parameter error|Too many parameters)/im,
    /^\s*Failure:/m,
  ],
  pager: {
    prompt: /---- More \( Press 'Q' to break \) ----/i,
    press: " ",
    example: "---- More ( Press 'Q' to break ) ----",
    // Releases without `undo smart` offer completions after every command.
    others: [{ prompt: /\{ ?<cr>[^}\n]{0,400}\}:/, press: "\n" }],
  },
  questions: [
    { ask: /\{ ?<cr>[^}\n]{0,200}\}:\s*$/i, reply: "" },
    { ask: /\(y\/n\)(?:\[[yn]\])?:?\s*$/i, reply: "y" },
  ],
  save: [
    {
      send: "save",
      questions: [
        { ask: /\{ ?<cr>[^}\n]{0,200}\}:\s*$/i, example: "{ <cr>|configuration<K>|data<K> }:", reply: "" },
      ],
      failed: /^\s*(?:%|Failure)/m,
    },
  ],
  simulated: { refusal: "% Unknown command, the error locates at '^'", rename: "sysname {name}" },
  legacySsh: true,
} satisfies Partial<PlatformPlugin>;

export default [
  {
    ...shared,
    name: "huawei_smartax",
    aliases: ["huawei_olt"],
    detect: [{ send: "display version", says: /Huawei Integrated Access Software/i }],
  },
  {
    ...shared,
    name: "huawei_smartaxmmi",
    // The machine interface has no questions and no paging; only configuration mode can enable it.
    prepare: ["undo smart", "scroll"],
    prepareAt: { level: "config", commands: ["infoswitch cli OFF", "mmi-mode enable"] },
    unsure: ["the first push enables the machine interface, not the login"],
  },
] satisfies PlatformPlugin[];
