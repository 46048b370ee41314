/** What platforms of one style share: prompts, levels, refusals. */
import type { PrivilegeLevel } from "patchbay/plugin";

/**
 * What a host name is made of in a prompt: all that systems take, however few vendors advise it (`&`, `~`, `*`, `|`,
 * other alphabets). Blanks, brackets, quotes and what ends a prompt are not in it: lines of output are full of them.
 */
export const nameChar = "[^\\s()<>[\\]{}#$%?\"'`\\\\=;!]";

/** A host name has a letter or a digit somewhere: `---#` and `***>` are output. `RP/0/RSP0/CPU0:` and a domain fit in. */
export const hostName = `(?=${nameChar}{0,150}[0-9A-Za-z\\u0080-\\uffff])${nameChar}{1,160}`;

/** As `hostName`, with single blanks inside, as some makers ship their switches: `HP ProCurve Switch 2626`. */
export const spacedName = `(?=[\\w\\u0080-\\uffff])(?:${nameChar}| (?![ (#>])){1,100}`;

/** A bracket behind the name. Names of profiles may hold brackets themselves, between quotes. */
const bracketed = '(?:[^()"\\n]|"[^"\\n]{0,64}"){1,100}';

/**
 * What stands in brackets behind a name and is no configuration, on any system: the place in a stack, the half of a
 * redundant pair, a boot loader, and a name that ends in an address, as some operators give them: `Europe.76(3.11)`.
 */
const commonMarks =
  "(?:[Hh]ot-)?[Ss]tandby|stby|[Aa]ctive|boot|diag|maint(?:enance)?-mode|recovery(?:-mode)?|(?:stack-)?(?:member|unit)[- ]?\\d{0,2}|\\d[\\d.:/]{0,40}";

export interface Style {
  /** An expression for the name and what belongs to it; default: any host name. */
  readonly name?: string;
  /** What this system shows in brackets beside the common marks, and is no configuration. */
  readonly marks?: string;
  /** What stands before a bracket and before the `#`; default: nothing. */
  readonly gap?: string;
  /** What stands between a prompt and what is typed, in the examples. */
  readonly blank?: " ";
}

type CiscoStyle = Readonly<Record<"exec" | "privileged" | "config", PrivilegeLevel>>;

/**
 * `R1>`, `R1#`, `R1(config)#`: the style that most of the industry copied. Whatever stands in brackets is a mode of the
 * configuration (`(dhcp-config)`, `(ca-trustpoint)`), unless it is one of the marks.
 */
export function ciscoStyle({ name = hostName, marks, gap = "", blank }: Style = {}): CiscoStyle {
  const known = `(?:${marks === undefined ? "" : `${marks}|`}${commonMarks})`;
  const mark = `(?:${gap}\\(${known}\\)){0,2}`;
  const mode = `(?:${gap}\\((?!${known}\\))${bracketed}\\)){1,2}`;
  const tail = blank ?? "";
  return {
    exec: {
      prompt: new RegExp(`${name}(?:${gap}\\([^()\\n]{1,32}\\)){0,2}${gap}> ?`),
      example: `R1>${tail}`,
    },
    privileged: {
      prompt: new RegExp(`${name}${mark}${gap}# ?`),
      example: `R1#${tail}`,
      from: "exec",
      enter: "enable",
      leave: "disable",
      asks: /pass(?:word|code)[^\n]{0,40}:\s*$/i,
      refused:
        /^% ?(?:Bad secrets?|Bad passwords?|Access denied|Error in authentication|No password set|Permission denied)/im,
    },
    config: {
      prompt: new RegExp(`${name}${mark}${mode}${mark}${gap}# ?`),
      example: `R1(config)#${tail}`,
      from: "privileged",
      enter: "configure terminal",
      leave: "end",
    },
  };
}

export const ciscoLevels: CiscoStyle = ciscoStyle();

/** Nothing is asked on the way to the privileged level. */
export const ciscoOpenLevels: CiscoStyle = {
  ...ciscoLevels,
  privileged: {
    prompt: ciscoLevels.privileged.prompt,
    example: "R1#",
    from: "exec",
    enter: "enable",
    leave: "disable",
  },
};

/** An empty line is given where no `secret` is: the password that these come with, if they ask at all. */
export function blankSecret(level: PrivilegeLevel): PrivilegeLevel {
  const questions = level.asks === undefined ? [] : [{ ask: level.asks, reply: "" }];
  return { ...level, withoutSecret: { questions } };
}

export const ciscoBlankLevels: CiscoStyle = {
  ...ciscoLevels,
  privileged: blankSecret(ciscoLevels.privileged),
};

/** A shell below the command line: `bash-4.3$ `, `[admin@guestshell ~]$ `, `admin@R1:~$ `. */
export const shellPrompt =
  /(?:-?(?:ba|z|k|)sh-\d{1,2}\.\d{1,2}|\[[^\]\n]{1,120}\]|[\w.-]{1,64}@[^\s#$%>:]{1,100}:[~/][^\n]{0,200}?) ?[$#] ?/;

/** What a line is answered with that was not taken; anchored, since a description may hold the same words. */
export const ciscoErrors: readonly RegExp[] = [
  /^\s*% ?(?:Invalid|Incomplete|Ambiguous|Unknown|Unrecognized|Bad|Unavailable|Authorization denied|Permission denied|Access denied|Error)/m,
  /^\s*% Command incomplete/m,
  /^Command rejected/m,
];

/** Pages show in spite of `terminal length 0` on gear that does not know the command. */
export const morePager = { prompt: / ?-+ ?More ?-+(?: ?\(\d{1,3}%\))? ?/i, press: " " } as const;

export const ciscoPrepare: readonly string[] = ["terminal width 511", "terminal length 0"];
