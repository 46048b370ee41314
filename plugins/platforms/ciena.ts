/** Ciena: SAOS 6 and 8 (3900, 5100, 8700), SAOS 10 (3926, 5164, 8110), Waveserver. */
import type { PlatformPlugin } from "patchbay/plugin";
import { morePager } from "./family/family.ts";

/** A star marks unsaved changes: `3916-1*> `. Prompts of Waveserver and of some accounts end in `$`. */
const user = /(?=[^\s<>#]{0,99}[\p{L}\p{N}])[^\s<>#()"=]{1,100}(?:\([^)\n]{1,60}\)){0,3}\*?[>$] ?/u;

const errors = [/^(?:SHELL PARSER FAILURE|ERROR:|Error:)/m];

const shared = {
  api: 1,
  kind: "platform",
  levels: { user: { prompt: user, example: "R1> " } },
  home: "user",
  prepare: ["system shell session set more off", "system shell session set window-width 512"],
  errors,
  pager: morePager,
  save: [{ send: "configuration save", failed: /^\s*(?:SHELL PARSER FAILURE|ERROR:)/m }],
  simulated: {
    refusal: "SHELL PARSER FAILURE: 'bogus' - invalid input",
    rename: "system set host-name {name}",
  },
  legacySsh: true,
} satisfies Partial<PlatformPlugin>;

const saos: PlatformPlugin = {
  ...shared,
  name: "ciena_saos",
  detect: [{ send: "software show", says: /saos/i }],
  files: { by: ["scp"] },
  unsure: ["format of the pager, which is disabled"],
};

const waveserver: PlatformPlugin = {
  ...shared,
  name: "ciena_waveserver",
  detect: [{ send: "software show", says: /WAVESERVER/i }],
  unsure: ["configuration save and the host name command: taken from SAOS", "format of the pager"],
};

const saos10: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "ciena_saos10",
  levels: {
    user: { prompt: user, example: "R1> " },
    config: {
      prompt: /(?=[^\s<>#]{0,99}[\p{L}\p{N}])[^\s<>#()"=]{1,100}(?:\([^)\n]{1,60}\)){0,3}\*?# ?/u,
      example: "R1# ",
      from: "user",
      enter: "config",
      leave: "exit",
    },
  },
  home: "user",
  config: "config",
  prepare: ["set session more off"],
  errors: [...errors, /^\s*(?:syntax error|% ?(?:Invalid|Unknown|Incomplete|Ambiguous))/im],
  pager: morePager,
  simulated: {
    refusal: "SHELL PARSER FAILURE: 'bogus' - invalid input",
    rename: "system config hostname {name}",
  },
  unsure: [
    "config and exit, and that nested contexts are left one by one",
    "no save: YANG-based releases are assumed to persist changes",
    "the host name command",
    "format of the pager",
  ],
};

export default [saos, saos10, waveserver];
