/** Ericsson: IPOS routers (SSR, Router 6000), MINI-LINK TN and 6600. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoStyle, hostName, morePager } from "./family/family.ts";

const style = ciscoStyle({ name: `\\[[^\\[\\]\\n]{1,64}\\]${hostName}` });

const ipos: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "ericsson_ipos",
  detect: [{ send: "show version", says: /Ericsson IPOS Version/i }],
  levels: {
    exec: { prompt: style.exec.prompt, example: "[local]R1>" },
    privileged: {
      ...style.privileged,
      example: "[local]R1#",
      enter: "enable 15",
    },
    config: {
      ...style.config,
      example: "[local]R1(config)#",
      enter: "configure",
      leaveQuestions: [
        {
          ask: /uncommitted[^\n]{0,160}\[?y(?:es)?\/n(?:o)?[^\n]{0,24}$/i,
          example: "There are uncommitted changes. Do you want to discard them (y/n)? ",
          reply: "y",
        },
      ],
    },
  },
  home: "privileged",
  config: "config",
  context: {
    pattern: /^\[((?!local\])[^[\]\n]{1,64})\]/,
    enter: "context {context}",
    leave: "context local",
  },
  prepare: ["terminal width 512", "terminal length 0"],
  errors: ciscoErrors,
  pager: morePager,
  save: [
    {
      send: "save config",
      questions: [
        {
          ask: /[([]y(?:es)?\/n(?:o)?[)\]]\s*\??:?\s*$|\boverwrite ?\?\s*$/i,
          example: "Target file exists, overwrite? ",
          reply: "yes",
        },
      ],
      failed: /^\s*%|fail|error/im,
    },
  ],
  candidate: {
    diff: "show configuration compare",
    commit: [{ send: "commit", success: /Transaction committed/ }],
    commitComment: [{ send: 'commit comment "{comment}"', success: /Transaction committed/ }],
    confirm: [{ send: "commit confirmed {minutes}", success: /Commit confirmed/ }],
    confirmComment: [{ send: 'commit confirmed {minutes} comment "{comment}"', success: /Commit confirmed/ }],
    discard: [{ send: "abort" }],
    failed: [/^\s*%[^\n]{0,80}(?:fail|error)/im],
  },
  simulated: { committed: "Transaction committed." },
  unsure: [
    "prompts",
    "candidate.diff, candidate.discard and candidate.commitComment",
    "question on leaving with uncommitted changes",
  ],
};

/** Includes the link name: `ML6352[Site A to Site B]#`. */
const node = `${hostName}(?:\\[[^[\\]\\n]{1,80}\\])?`;

const miniLink = {
  api: 1,
  kind: "platform",
  levels: {
    exec: { prompt: new RegExp(`${node}[>#] ?`), example: "R1>" },
    config: {
      prompt: new RegExp(`${node}\\([^()\\n]{1,80}\\)# ?`),
      example: "R1(config)#",
      from: "exec",
      enter: "config",
      leave: "exit",
    },
  },
  home: "exec",
  config: "config",
  // SSH accepts every login with this username; the shell asks for the real one.
  loginAs: "cli",
  login: [
    { ask: /^(?:login|User):\s*$/im, example: "User:", reply: "{username}" },
    { ask: /^Password:\s*$/im, example: "Password:", reply: "{password}" },
  ],
  errors: [...ciscoErrors, /^\s*(?:Unknown command|Syntax error|Error:|Command not found)/im],
  pager: morePager,
  save: [{ send: "write", failed: /^\s*%|fail|error/im }],
  legacySsh: true,
  unsure: ["prompts and refusals", "a busy console (`CLI is currently busy`) ends in a read timeout"],
} satisfies Omit<PlatformPlugin, "name">;

export default [
  ipos,
  { ...miniLink, name: "ericsson_mltn63", goodbye: ["quit"] },
  { ...miniLink, name: "ericsson_mltn66", goodbye: ["exit"] },
] satisfies PlatformPlugin[];
