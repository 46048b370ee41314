/** Alcatel-Lucent Enterprise OmniSwitch, AOS 6 to 8. */
import type { PlatformPlugin } from "patchbay/plugin";
import { spacedName } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "alcatel_aos",
  aliases: ["alcatel"],
  detect: [{ send: "show system", says: /Alcatel-Lucent/i }],
  // `-> ` by default; a session may set its own prompt.
  levels: {
    user: { prompt: new RegExp(`(?:${spacedName})?[-=]{1,2}> ?|${spacedName} ?[>#] ?`), example: "R1-> " },
  },
  home: "user",
  errors: [/^\s*ERROR: /m, /^\s*% ?Invalid/m],
  pager: {
    prompt: /More\? \[next screen[^\n]*|--More--/i,
    press: " ",
    example: "More? [next screen <sp>, next line <cr>, filter pattern </>, quit </>]",
  },
  questions: [{ ask: /\((?:y(?:es)?\/n(?:o)?)\)\s*\??\s*:?\s*$/i, reply: "y" }],
  save: [{ send: "write memory flash-synchro", failed: /^\s*ERROR: |fail/im }],
  legacySsh: true,
  telnet: { username: /login ?:\s*$/i, password: /password ?:\s*$/i },
  simulated: {
    refusal: 'ERROR: Invalid entry: "bogus"',
    saved: "File /flash/working/vcboot.cfg replaced.",
    rename: "session prompt default {name}->",
  },
  unsure: ["format of the pager, which most releases disable by default"],
} satisfies PlatformPlugin;
