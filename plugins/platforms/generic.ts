/** Any unknown CLI: terminal servers, consoles, systems without a platform of their own. */
import type { PlatformPlugin } from "patchbay/plugin";

export default {
  api: 1,
  kind: "platform",
  name: "generic",
  aliases: ["generic_termserver", "terminal_server", "autodetect"],
  levels: {
    // Has a single level, and prepares nothing.
    // Also matches `<R1>` of Comware and `A:R1>config# `; `100%` is progress output, `<cr>` and `</config>` are output.
    any: {
      prompt:
        /(?! {0,8}\d{1,3}(?:\.\d{1,2})? ?%|<cr>|[^\n\p{L}\p{N}]{3,120}$)(?:[>#$] |<[^\s<>="/?!]{1,63}>|[^\s<>="'#;!?`\\][^\n<="';!?`\\]{0,119}(?: |=)?[>#$%\]]) ?/u,
      example: "R1> ",
    },
  },
  home: "any",
  // On some systems SSH accepts every login, and the shell asks for it.
  login: [
    { ask: /^\s*(?:User(?: ?name)?|login(?: as)?)\s*:\s*$/i, reply: "{username}" },
    { ask: /^\s*Password:\s*$/i, reply: "{password}" },
  ],
  errors: [],
  // Nothing is known about its line editor, and consoles have keys of their own: Ctrl-Z, Ctrl-], Ctrl-^.
  keys: {},
  controls: "\x03\x04\x16\x18\x1a\x1d\x1e",
  pager: {
    prompt: /-+ ?\(?more(?: \d+%)?\)? ?-+(?:(?:,| or) [^\n]{1,60})?/i,
    press: " ",
    others: [{ prompt: /Press (?:any key|<space>)[^\n]{0,60}quit[^\n]{0,20}/i, press: " " }],
  },
  simulated: { rename: null },
} satisfies PlatformPlugin;
