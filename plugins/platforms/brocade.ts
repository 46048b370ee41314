/** Brocade: Fabric OS; FastIron (now Ruckus), NetIron and Network OS (now Extreme). */
import type { PlatformPlugin, Question } from "patchbay/plugin";
import { blankSecret, ciscoErrors, ciscoStyle, hostName, morePager, spacedName } from "./family/family.ts";

const fos: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "brocade_fos",
  // `R1:admin> `, with virtual fabrics `R1:FID128:admin> `.
  levels: {
    user: {
      prompt: new RegExp(`${hostName}:(?:(?:FID|AD)\\d{1,3}:)?[\\w.-]{1,63}> ?`),
      example: "R1:admin> ",
    },
  },
  home: "user",
  // Accounts with the default password: a RETURN would start to change it.
  login: [
    {
      ask: /Control-C to exit[^\n]*$/i,
      example: "Use Control-C to exit or press 'Enter' key to proceed.",
      reply: "\x03",
      newline: false,
    },
  ],
  errors: [
    /^(?:-?r?bash: )?[^\n:]{1,80}: command not found$/m,
    /^(?:error|invalid (?:command|argument)): ?/im,
  ],
  pager: {
    prompt: /Type <CR> (?:or <SPACE BAR> )?to continue, Q<CR> to stop:?/i,
    press: "\r",
    example: "Type <CR> to continue, Q<CR> to stop:",
  },
  questions: [{ ask: /\((?:yes, y, no, n|y\/n)\)\s*:?\s*(?:\[\w*\])?\s*$/i, reply: "yes" }],
  // Changes persist at once; for zones, `cfgsave` is a line of the push.
  save: [],
  newline: "\r",
  legacySsh: true,
  simulated: { refusal: "rbash: bogus: command not found", rename: "switchname {name}" },
  unsure: ["refusals vary by command: only common ones are recognized"],
};

/**
 * `SSH@ICX7250-24 Router#`: the login transport, and a name with blanks. `[STANDBY]local-2@` and `(DEV)` mark units.
 */
const style = ciscoStyle({ name: `(?:\\[[A-Z]{2,12}\\])?${spacedName}`, marks: "[A-Z]{2,12}" });

const askUser: Question = { ask: /^(?:user name|login)\s*:\s*$/i, reply: "{username}" };

const iron = {
  api: 1,
  kind: "platform",
  levels: {
    exec: { ...style.exec, example: "SSH@R1>" },
    privileged: {
      ...style.privileged,
      example: "SSH@R1#",
      leave: "exit",
      refused: /^(?:Error ?- ?[^\n]{0,40}(?:incorrect|invalid|password)|Not authorized|% ?Access denied)/im,
    },
    config: { ...style.config, example: "SSH@R1(config)#" },
  },
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["skip-page-display"] },
  errors: [
    /^(?:Invalid|Ambiguous|Incomplete|Unrecognized) (?:input|command)/m,
    /^Error ?(?:-|:) ?/m,
    ...ciscoErrors,
  ],
  pager: {
    prompt: /--More--(?:, next page: Space[^\n]*)?/i,
    press: " ",
    example: "--More--, next page: Space, next line: Return key, quit: Control-c",
  },
  questions: [askUser, { ask: /\((?:enter )?'?y'? or '?n'?\)\s*:?\s*$/i, reply: "y" }],
  save: [
    { send: "write memory", failed: /^(?:Error|Invalid|Incomplete|Unrecognized)|fail|not authorized/im },
  ],
  simulated: {
    refusal: "Invalid input -> bogus\nType ? for a list",
    denied: "Error - incorrect username or password.",
    saved: "Write startup-config done.",
  },
  legacySsh: true,
  telnet: { username: /(?:login name|user ?name|login):\s*$/i },
} satisfies Partial<PlatformPlugin>;

const fastiron: PlatformPlugin = {
  ...iron,
  name: "ruckus_fastiron",
  aliases: ["brocade_fastiron"],
  levels: { ...iron.levels, privileged: blankSecret(iron.levels.privileged) },
};

const netiron: PlatformPlugin = {
  ...iron,
  name: "extreme_netiron",
  aliases: ["brocade_netiron"],
  detect: [{ send: "show version", says: /NetIron|MLX/i }],
};

const spaced = ciscoStyle({ blank: " " });

const nos: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "extreme_nos",
  aliases: ["brocade_nos", "brocade_vdx", "extreme_vdx"],
  levels: {
    privileged: { prompt: spaced.privileged.prompt, example: "R1# " },
    config: spaced.config,
  },
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0"],
  errors: [/^syntax error: /m, /^\s*%? ?Error: ?/m, /^% ?(?:Invalid|Incomplete|Ambiguous|Unknown|Error)/m],
  pager: morePager,
  questions: [{ ask: /\[y\/n\]\s*:?\s*$/i, reply: "y" }],
  save: [
    {
      send: "copy running-config startup-config",
      questions: [
        {
          ask: /Do you want to continue\?\s*\[y\/n\]\s*:?\s*$/i,
          example: "This operation will modify your startup configuration. Do you want to continue? [y/n]:",
          reply: "y",
        },
      ],
      failed: /^\s*%? ?Error|syntax error|fail/im,
    },
  ],
  simulated: {
    refusal: "syntax error: unknown argument.",
    rename: "switch-attributes 1 host-name {name}",
  },
};

export default [fos, fastiron, netiron, nos];
