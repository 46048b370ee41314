/** Prompts, levels and refusals shared by platforms of one style. */
import type { Block, PlatformPlugin, PrivilegeLevel } from "patchbay/plugin";

/**
 * Characters of a host name in a prompt: everything systems accept, even if vendors advise against it (`&`, `~`, `*`,
 * `|`, other alphabets). Excludes blanks, brackets, quotes and prompt signs, which are common in output.
 */
export const nameChar = "[^\\s()<>[\\]{}#$%?\"'`\\\\=;!]";

/** A host name contains a letter or digit: `---#` and `***>` are output. Also matches `RP/0/RSP0/CPU0:` and domains. */
export const hostName = `(?=${nameChar}{0,150}[0-9A-Za-z\\u0080-\\uffff])${nameChar}{1,160}`;

/** Like `hostName`, with single blanks, as in some factory defaults: `HP ProCurve Switch 2626`. */
export const spacedName = `(?=[\\w\\u0080-\\uffff])(?:${nameChar}| (?![ (#>])){1,100}`;

/** Parentheses after the name. Profile names may contain parentheses within quotes. */
const bracketed = '(?:[^()"\\n]|"[^"\\n]{0,64}"){1,100}';

/**
 * Text in parentheses that is not a configuration mode on any system: the stack member, the redundancy state, a boot
 * loader, and host names that end in an address, as some operators use them: `Europe.76(3.11)`.
 */
const commonMarks =
  "(?:[Hh]ot-)?[Ss]tandby|stby|[Aa]ctive|boot|diag|maint(?:enance)?-mode|recovery(?:-mode)?|(?:stack-)?(?:member|unit)[- ]?\\d{0,2}|\\d[\\d.:/]{0,40}";

export interface Style {
  /** Pattern of the name and its decorations; default: any host name. */
  readonly name?: string;
  /** Text in parentheses on this system that is not a configuration mode, besides the common marks. */
  readonly marks?: string;
  /** Text before the parenthesis and before the `#`; default: nothing. */
  readonly gap?: string;
  /** Separator between the prompt and the typed text, in examples. */
  readonly blank?: " ";
}

type CiscoStyle = Readonly<Record<"exec" | "privileged" | "config", PrivilegeLevel>>;

/**
 * `R1>`, `R1#`, `R1(config)#`: the style that most of the industry copied. Any text in parentheses is a configuration
 * mode (`(dhcp-config)`, `(ca-trustpoint)`) unless it is one of the marks.
 */
export function ciscoStyle({ name = hostName, marks, gap = "", blank }: Style = {}): CiscoStyle {
  const knownMarks = `(?:${marks === undefined ? "" : `${marks}|`}${commonMarks})`;
  const mark = `(?:${gap}\\(${knownMarks}\\)){0,2}`;
  const mode = `(?:${gap}\\((?!${knownMarks}\\))${bracketed}\\)){1,2}`;
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

/** The privileged level requires no password. */
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

/** Without a `secret`, answers with an empty line: the factory default of these systems, if they ask at all. */
export function blankSecret(level: PrivilegeLevel): PrivilegeLevel {
  const questions = level.asks === undefined ? [] : [{ ask: level.asks, reply: "" }];
  return { ...level, withoutSecret: { questions } };
}

export const ciscoBlankLevels: CiscoStyle = {
  ...ciscoLevels,
  privileged: blankSecret(ciscoLevels.privileged),
};

/** A shell below the CLI: `bash-4.3$ `, `[admin@guestshell ~]$ `, `admin@R1:~$ `. */
export const shellPrompt =
  /(?:-?(?:ba|z|k|)sh-\d{1,2}\.\d{1,2}|\[[^\]\n]{1,120}\]|[\w.-]{1,64}@[^\s#$%>:]{1,100}:[~/][^\n]{0,200}?) ?[$#] ?/;

const enterText = "Enter TEXT message.  End with the character '$1'.";

/**
 * A banner between two delimiters, which the caller chooses. Without a kind, only a sign is a delimiter: some modes have
 * a `banner` of one line.
 */
export const banners: readonly Block[] = [
  {
    start: /^\s*banner\s+(?:motd|login|exec|incoming|prompt-timeout|slip-ppp|config-save)\s+(\^C|\S)/i,
    says: enterText,
  },
  { start: /^\s*banner\s+(\^C|[^\w\s"'])/i, says: enterText },
];

/** Lines of IOS after which it reads a text. */
export const iosBlocks: readonly Block[] = [
  ...banners,
  { start: /^\s*aaa\s+authentication\s+(?:banner|fail-message)\s+(\^C|\S)/i, says: enterText },
  { start: /^\s*(?:vacant-message|refuse-message|busy-message\s+\S+)\s+(\^C|\S)/i, says: enterText },
  { start: /^\s*menu\s+\S+\s+(?:title|prompt)\s+(\^C|\S)/i, says: enterText },
  {
    start: /^\s*macro\s+name\s+\S+\s*$/i,
    end: /^\s*@/,
    says: "Enter macro commands one per line. End with the character '@'.",
  },
];

/** Lines of EOS after which it reads a text. */
export const eosBlocks: readonly Block[] = [
  /^\s*banner\s+(?:motd|login|exec)\s*$/i,
  /^\s*comment\s*$/i,
  /^\s*action\s+bash\s*$/i,
  /^\s*protocol\s+https\s+certificate\s*$/i,
  /^\s*code(?:\s+unit\s+\S+)?\s*$/i,
].map((start) => ({
  start,
  end: /^\s*EOF\s*$/,
  says: "Enter TEXT message. Type 'EOF' on its own line to end.",
}));

/** Line editors in which Ctrl-V makes the next key text: IOS and its relatives, FortiOS, readline. */
export const quotingKeys: Readonly<Record<string, string>> = { "?": "\x16?", "\t": "\x16\t" };

/**
 * Shells: a tab completes, and their history changes a line that contains `!`, in csh even within quotes. Each command
 * suits some shells and changes nothing in the others.
 */
export const shellEditor = {
  keys: { "\t": "\x16\t" },
  // Ends the text that a program reads from the terminal.
  controls: "\x04",
  blocks: [{ start: /^\s*(?:sudo\s+)?(?:cat\s*>{1,2}\s*\S+|tee(?:\s+-a)?\s+[^\s|<>]+)\s*$/, end: /^\x04$/ }],
  // An open quote, a loop, a here-document: bash, dash, ksh and zsh, then csh.
  continues: /(?:[a-z]{1,16} ){0,3}[a-z]{0,16}> |(?:foreach|if|switch|while)?\? /,
  literally: [
    { when: /!/, send: "set +H" },
    {
      when: /!/,
      send: '[ -n "$tcsh" ] && set histchars=""; [ -n "$ZSH_VERSION" ] && setopt nobanghist',
    },
  ],
} as const satisfies Partial<PlatformPlugin>;

/** Refusals of a line; anchored, since a description may contain the same words. */
export const ciscoErrors: readonly RegExp[] = [
  /^\s*% ?(?:Invalid|Incomplete|Ambiguous|Unknown|Unrecognized|Bad|Unavailable|Authorization denied|Permission denied|Access denied|Error)/m,
  /^\s*% Command incomplete/m,
  /^Command rejected/m,
];

/** The pager still appears on devices that do not support `terminal length 0`. */
export const morePager = { prompt: / ?-+ ?More ?-+(?: ?\(\d{1,3}%\))? ?/i, press: " " } as const;

export const ciscoPrepare: readonly string[] = ["terminal width 511", "terminal length 0"];
