/** MRV LX console servers and OptiSwitch. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoBlankLevels, ciscoErrors, hostName, morePager } from "./family/family.ts";

const lx: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "mrv_lx",
  levels: {
    exec: { prompt: new RegExp(`${hostName}:\\d{1,3} ?> ?`), example: "R1:0 >" },
    privileged: {
      // An empty line, if no `secret` was given.
      withoutSecret: { questions: [{ ask: /password[^\n]{0,40}:\s*$/i, reply: "" }] },
      prompt: new RegExp(`${hostName}:\\d{1,3} ?>> ?`),
      example: "R1:0 >>",
      from: "exec",
      enter: "enable",
      leave: "disable",
      asks: /password[^\n]{0,40}:\s*$/i,
      refused: /^\s*(?:Invalid|Incorrect|Access denied|% ?Access denied|Login incorrect)/im,
    },
    config: {
      prompt: /(?:[^\s<>]{1,63} ?)?Conf[\w.-]{0,24}:\d{1,3} ?>> ?/,
      example: "Config:0 >>",
      from: "privileged",
      enter: "configuration",
      leave: "end",
    },
  },
  home: "privileged",
  config: "config",
  prepare: ["no pause"],
  errors: [/^\s*(?:Syntax error|Invalid (?:command|parameter|argument)|Command not found|Ambiguous)/im],
  pager: {
    prompt: /Type a key to continue, q to quit/i,
    press: " ",
    example: "Type a key to continue, q to quit",
  },
  save: [{ send: "save config flash", failed: /fail|error|invalid/im }],
  simulated: { refusal: "Syntax error: bogus", rename: null },
  unsure: ["prompts, pager and refusals", "answer to a wrong enable password"],
};

const optiSwitch: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "mrv_optiswitch",
  levels: ciscoBlankLevels,
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["no cli-paging"] },
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "save config flash", failed: /^\s*%|fail|error/im }],
  legacySsh: true,
  unsure: ["prompts, refusals and pager: assumed Cisco style", "whether enable asks for a password"],
};

export default [lx, optiSwitch];
