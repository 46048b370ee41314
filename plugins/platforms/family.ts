/** What platforms of one style share: prompts, levels, refusals. */
import type { PrivilegeLevel } from "patchbay/plugin";

/** Host names in prompts, with what vendors put into them: `RP/0/RSP0/CPU0:asr9k-1`. */
const hostName = "[\\w.\\-@/:+]{1,63}";

type CiscoStyle = Readonly<Record<"exec" | "privileged" | "config", PrivilegeLevel>>;

/** `R1>`, `R1#`, `R1(config)#`: the style that most of the industry copied. */
export const ciscoLevels: CiscoStyle = {
  exec: { prompt: new RegExp(`${hostName}(?:\\([\\w-]{1,20}\\))?> ?`), example: "R1>" },
  privileged: {
    prompt: new RegExp(`${hostName}(?:\\((?!conf|tcl)[\\w-]{1,20}\\))?# ?`),
    example: "R1#",
    from: "exec",
    enter: "enable",
    leave: "disable",
    asks: /pass(?:word|code)[^\n]{0,40}:\s*$/i,
    refused:
      /^% ?(?:Bad secrets?|Bad passwords?|Access denied|Error in authentication|No password set|Permission denied)/im,
  },
  config: {
    prompt: new RegExp(`${hostName}(?:\\([\\w-]{1,20}\\))?\\((?:conf|tcl)[\\w.\\-@/:+ ]{0,63}\\)# ?`),
    example: "R1(config)#",
    from: "privileged",
    enter: "configure terminal",
    leave: "end",
  },
};

/** What a line is answered with that was not taken; anchored, since a description may hold the same words. */
export const ciscoErrors: readonly RegExp[] = [
  /^\s*% ?(?:Invalid|Incomplete|Ambiguous|Unknown|Unrecognized|Bad|Unavailable|Authorization denied|Permission denied|Access denied|Error)/m,
  /^\s*% Command incomplete/m,
  /^Command rejected/m,
];

/** Pages show in spite of `terminal length 0` on gear that does not know the command. */
export const morePager = { prompt: / ?-+ ?More ?-+ ?$/i, press: " " } as const;

export const ciscoPrepare: readonly string[] = ["terminal width 511", "terminal length 0"];
