/** Contract of a platform: the behaviour of a vendor's CLI, as data. */
import type { ConfigurationPart } from "../base/configuration-parts.ts";
import type { AccessWords as LineAccessWords, CutRule as LineCutRule } from "../configlines/lockout.ts";
import type { LineRule as TreeLineRule, TreeRules } from "../configtree/rules.ts";
import type { Manifest } from "./kit/kit.ts";
import type { Simulated } from "./simulated.ts";

export interface PlatformPlugin extends Manifest<"platform"> {
  /** Other `device_type` names for the same platform. `<name>_ssh` and `<name>_telnet` need no alias. */
  readonly aliases?: readonly string[];
  /**
   * Privilege levels by name. The level is always read from the prompt, never tracked separately. Levels farther from
   * the login (longer `from` chains) are tried first, then in the order written; the first whose `prompt` matches and
   * whose `not` does not is the current level.
   */
  readonly levels: Readonly<Record<string, PrivilegeLevel>>;
  /**
   * The level in which queries run and to which every job returns. It is entered after login, unless entering it asks
   * for a password and no `secret` was given. A login that lands above it stays there.
   */
  readonly home: string;
  /** The level in which configuration lines are sent. Absent: they are sent at `home`. */
  readonly config?: string;
  /**
   * Levels that accept configuration lines directly and apply them at once: a login that lands in one of them does not
   * enter `config` and commits nothing. For a system with a second, older CLI.
   */
  readonly inPlace?: readonly string[];
  /** How to recognize this platform when the caller does not know it (`device_type` "autodetect"). */
  readonly detect?: readonly Detection[];
  /**
   * Questions that may appear between the SSH login and the first prompt (press any key, a licence, a choice of shell).
   */
  readonly login?: readonly Question[];
  /**
   * Commands sent once after login, at the level in which the login lands (paging off, width). Rejections are ignored.
   */
  readonly prepare?: readonly string[];
  /** The same for commands that exist only at this level; sent once, when the session first reaches it. */
  readonly prepareAt?: { readonly level: string; readonly commands: readonly string[] };
  /** Commands sent before the session is closed. Default: none (not even `exit`); the channel is closed. */
  readonly goodbye?: readonly string[];
  /** What a rejection looks like; matched against the device's answer, anchored at line starts. */
  readonly errors: readonly RegExp[];
  /** Sent before the next line if the line editor keeps a rejected line and shows it behind the prompt (Ctrl-U). */
  readonly afterRefusal?: string;
  /** A pager that appears in spite of `prepare`, and the key to press. */
  readonly pager?: Pager;
  /**
   * Questions that a configuration line may ask, with the affirmative reply. A query that asks one is reported as an
   * error.
   */
  readonly questions?: readonly Question[];
  /**
   * True if the device shows no prompt: an answer ends with a whole line, such as `OK`, that a level's `prompt`
   * matches. A line that also matches `errors` ends the answer too, and is included in it. An empty line gets no
   * answer, so `prepare` must hold a command that does.
   */
  readonly endsWithLine?: true;
  /** A context that a command selects and that stays selected: a virtual firewall, a tenant, a position in a tree. */
  readonly context?: PromptContext;
  /**
   * True if commands change state that no prompt shows and that a later job would inherit: the directory, the variables
   * and the umask of a shell.
   */
  readonly hiddenState?: true;
  /** A line that may precede the prompt and belongs to it (`{master:0}`, `[edit]`); never part of an output. */
  readonly above?: RegExp;
  /**
   * Lines that open a block of text, inside which the device shows no prompt. Default: the `banner` of Cisco-like
   * systems. A block that the lines of a push do not end is refused before anything is sent. Blocks that only some
   * devices open need no entry: an announcement of the device (`End with the character '@'`) opens one too.
   */
  readonly blocks?: readonly Block[];
  /** The prompt, a whole line, at which the device reads the rest of an unfinished line: an open quote or brace. */
  readonly continues?: RegExp;
  /**
   * Writes the running configuration to the startup configuration. Runs at `saveLevel`, default `home`. An empty list:
   * the device saves every change automatically. Absent: unknown (a commit saves, if there is one).
   */
  readonly save?: readonly Step[];
  readonly saveLevel?: string;
  /** A candidate configuration: lines take effect on `commit`. */
  readonly candidate?: Candidate;
  /** The configuration as text: to keep its versions, and to verify that a push was rolled back. */
  readonly running?: Running;
  /** Commands that only show something: what agents may run. Absent: none. */
  readonly reads?: Reads;
  /** Rollback methods, best first; the first one that the device supports is used. Absent: none is reliable. */
  readonly undo?: readonly Undo[];
  /**
   * Characters that the line editor takes for itself, each with the keys that type it as text (Ctrl-V and the
   * character); null: there is no way, and a line that contains it is refused before anything is sent. Default: `?` and
   * tab, without a way. A question mark at the end of a query always asks for help.
   */
  readonly keys?: Readonly<Record<string, string | null>>;
  /** Quotes between which the line editor takes none of `keys`. */
  readonly keyQuotes?: string;
  /** Control characters that its own dialogues need, such as the Ctrl-D that ends a pasted text; others are refused. */
  readonly controls?: string;
  /**
   * Commands that turn off what no key can quote, such as the history of a shell: sent before the first line of a job
   * that `when` matches. Rejections are ignored.
   */
  readonly literally?: readonly { readonly when: RegExp; readonly send: string }[];
  /** Line end that is sent; default "\n". */
  readonly newline?: "\n" | "\r" | "\r\n";
  /** Requested terminal size and type; default 511 x 1000. */
  readonly terminal?: { readonly cols: number; readonly rows: number; readonly type?: string };
  /** False if the device does not echo input. */
  readonly echo?: false;
  /** Character set of the console, for both directions, as a WHATWG label such as `shift_jis`; default UTF-8. */
  readonly encoding?: string;
  /**
   * User name in the form the device expects; `{username}` is replaced (`{username}+ct511w4098h`). Without
   * `{username}`, it is the account for SSH only, and the shell asks for the caller's own.
   */
  readonly loginAs?: string;
  /**
   * True if configuration lines may be sent before earlier ones were answered, when a push requests it: the system
   * reads them one by one, shows a prompt for each, and shows every configuration mode in the prompt.
   */
  readonly pipelines?: true;
  /** Old devices: group1/group14-sha1, CBC ciphers and ssh-rsa are offered by default. */
  readonly legacySsh?: true;
  /** Login dialogue over Telnet, if it differs from `login:`/`password:`. */
  readonly telnet?: { readonly username?: RegExp; readonly password?: RegExp; readonly failed?: RegExp };
  /** File transfer: the protocols, and how the device computes a hash. */
  readonly files?: {
    readonly by: readonly ("sftp" | "scp")[];
    /** Command that prints the hash of `{path}`; the first group of `match` is the hash. */
    readonly hash?: {
      readonly algorithm: "md5" | "sha256" | "sha512";
      readonly command: string;
      readonly match: RegExp;
    };
    /** Commands that make the device accept files; run at `config` level before the first transfer. */
    readonly enable?: readonly string[];
  };
  readonly simulated?: Simulated;
  /** Choices made without a real device; listed in docs/reference/platforms.md. */
  readonly unsure?: readonly string[];
}

export interface Block {
  readonly start: RegExp;
  /**
   * Matched against each following line. Absent: the block ends with the line that contains the first group of `start`
   * again (the delimiter of a banner).
   */
  readonly end?: RegExp;
  /** The device's wording when it begins to read, for simulated devices; `$1` is the first group of `start`. */
  readonly says?: string;
}

/** A context that the prompt shows besides the privilege level. */
export interface PromptContext {
  /** Searched in the prompt, not anchored; its first group is the name of the context. No match: none is selected. */
  readonly pattern: RegExp;
  /** Selects a context; `{context}` is replaced with its name. Absent: a context can only be left. */
  readonly enter?: string;
  /** Leaves the context by one step; repeated while the prompt still shows a context and changes. */
  readonly leave: string;
}

export interface Detection {
  /** A read-only command that other systems at most reject. */
  readonly send: string;
  readonly says: RegExp;
  /** Other systems give the same answer: it counts only if nothing else matches. */
  readonly vague?: true;
}

export interface PrivilegeLevel {
  /** A prompt of this level on a device named `R1`: shown by simulated devices and tried by tests. */
  readonly example?: string;
  /** Matches the whole prompt, which is the last line; the terminal layer anchors it. */
  readonly prompt: RegExp;
  /** Excludes prompts if `prompt` alone is too broad. */
  readonly not?: RegExp;
  /** The level below; `enter` leads from there to this one. */
  readonly from?: string;
  readonly enter?: string;
  /** Returns to `from`. */
  readonly leave?: string;
  /** A password prompt that `enter` may show; answered with `secret`. */
  readonly asks?: RegExp;
  /**
   * How to enter the level if the caller gave no `secret`. Absent: it is not entered if `asks` would ask. Default of
   * `enter`: the level's own. `{username}` and `{password}` are replaced with those of the login. If the device
   * refuses, queries run at the level below.
   */
  readonly withoutSecret?: { readonly enter?: string; readonly questions: readonly Question[] };
  /**
   * Sent after `enter` has reached the level: a second command that may ask for the same password. The device may
   * reject it.
   */
  readonly also?: string;
  /** The device's answer to a wrong password or a refused `enter`. */
  readonly refused?: RegExp;
  /** Questions that `leave` may ask. */
  readonly leaveQuestions?: readonly Question[];
}

export interface Pager {
  readonly prompt: RegExp;
  readonly press: string;
  /** The device's wording, for simulated devices; default `--More--`. */
  readonly example?: string;
  /** Other stops in the middle of an output, each with its own key (`Press Enter to continue...`). */
  readonly others?: readonly Pick<Pager, "prompt" | "press">[];
}

/** A question of the device and the reply to it. */
export interface Question {
  readonly ask: RegExp;
  /** The device's wording, for simulated devices. */
  readonly example?: string;
  /** `{username}` is replaced; in `login` also `{password}`. */
  readonly reply: string;
  /** False: the reply is sent without a line end. */
  readonly newline?: false;
}

export interface Step {
  readonly send: string;
  readonly questions?: readonly Question[];
  /** Must match the output; otherwise the step has failed. */
  readonly success?: RegExp;
  readonly failed?: RegExp;
}

export interface Candidate {
  /**
   * The candidate is that of its session alone, and is discarded when the session ends, however it ends: `true`, or the
   * command that opens such a one in place of that of the level. A dry run uses it, and a rehearsal asks no device without
   * it: what its end leaves in a shared candidate would be committed by whoever commits next.
   */
  readonly own?: true | string;
  /** Shows the difference between candidate and running configuration. */
  readonly diff: string;
  /** `{comment}` is replaced. */
  readonly commit: readonly Step[];
  readonly commitComment?: readonly Step[];
  /** A commit that rolls back automatically unless confirmed within `{minutes}`, or `{seconds}`. */
  readonly confirm?: readonly Step[];
  /** The same with `{comment}`. */
  readonly confirmComment?: readonly Step[];
  readonly discard: readonly Step[];
  /** Shows why a commit failed, while the candidate still exists. */
  readonly explain?: string;
  /** Output of a failed commit. */
  readonly failed: readonly RegExp[];
}

/**
 * `confirmed_commit`: the device rolls back automatically unless confirmed. `rollback`, `checkpoint`: the device keeps
 * the previous state. `replace`: the previous configuration is restored as a whole. `difference`: inverse lines undo
 * each line.
 */
export type UndoWay = "confirmed_commit" | "rollback" | "checkpoint" | "replace" | "difference";

export type { ConfigurationPart };

/**
 * How the whole of a text is recognized: its last line that is not blank, with the line before it if the pattern
 * contains `\n`; or `braces`: every brace that was opened is closed, and there is one. With `braces`, and with a mark that
 * also ends blocks within the text, one that was cut between two blocks at the top is known only by the version before.
 */
export type Completeness = RegExp | "braces";

export type LineRule = TreeLineRule<RegExp>;
export type AccessWords = LineAccessWords;
export type CutRule = LineCutRule;

/** What can be asked of a device, whatever its system. */
export type Fact = "version" | "interfaces" | "neighbors" | "arp" | "mac" | "bgp" | "routes" | "inventory";

/**
 * Commands that only show something. A word may be abbreviated as far as it differs from the others that could stand in
 * its place; what is sent are the whole words. `<value>` is one word of the caller's, `<interface>` one or two,
 * `[...]` may be left out, `(one|other)` is one of them. Commands that show a configuration or a secret do not belong here.
 */
export interface Reads {
  readonly commands: readonly string[];
  /** What may follow a `|`, in the same form; `<text>` is the rest, which is only looked for. */
  readonly filters?: readonly string[];
  /** The command that answers each question, one of `commands`; `json`: with an output that is JSON. */
  readonly facts?: Readonly<Partial<Record<Fact, string | { readonly json: string }>>>;
  /** Nothing is abbreviated, as in a shell. */
  readonly exact?: true;
}

/**
 * The configuration, as text, and what its lines mean. Patterns are matched against one line each, without its line
 * end; those of `lines`, `negated` and `sections` also without its indentation.
 */
export interface Running extends Omit<TreeRules<RegExp, RegExp>, "blocks"> {
  /** Shows the running configuration, secrets included. Sent at the platform's home level. */
  readonly show: string;
  /** Sent after `show`: its answer is used if the device refuses `show`, as older versions do. */
  readonly otherwise?: string | undefined;
  /** Shows what the device loads at its next start. Absent: it keeps no such text, or there is no way to show it. */
  readonly startup?: string | undefined;
  /** Shows the running configuration as commands that set it, for a system that has both forms. */
  readonly set?: string | undefined;
  /**
   * Absolute paths, for a system that is configured in files: shown instead of `show`, one after the other, each below
   * a line with its name. A folder stands for the files in it, and names may contain `*` and `?`.
   */
  readonly files?: readonly string[] | undefined;
  /** How a whole text ends, if not the same in every part by part. Absent: nothing marks the end. */
  readonly complete?:
    | Completeness
    | { readonly [part in ConfigurationPart]?: Completeness | undefined }
    | undefined;
  /** A text with fewer bytes is not whole. Default: one byte. */
  readonly leastBytes?: number | undefined;
  /**
   * Where secrets are that the general rules (by name and by form) do not find, or that the device encrypts anew at each
   * show.
   */
  readonly secrets?: readonly SecretPlace[] | undefined;
  /** Lines in which the device says who changed it last, in the groups `user` and `at`; both may be absent. */
  readonly changedBy?: readonly RegExp[] | undefined;
  /**
   * For a system whose text lacks what belongs to a module (a daemon, a line card) that does not run, and says nothing of
   * it: the command that lists those that run, and their names in its answer, in the group `name`. A text that differs
   * and lacks one that was there is not whole.
   */
  readonly modules?: { readonly show: string; readonly names: RegExp } | undefined;
  /**
   * Lines below which a body stands that the startup configuration names by a file, up to that name: `certificate
   * self-signed 01`, and in the startup configuration `certificate self-signed 01 nvram:x.cer`.
   */
  readonly storedApart?: readonly RegExp[] | undefined;
  /** Lines that are no part of the text, such as messages of the program that shows it: they are left out. */
  readonly notices?: readonly RegExp[] | undefined;
  /** Lines inside a text by which the device says that it is not whole. Those of `errors` need no mention. */
  readonly refusals?: readonly RegExp[] | undefined;
  /** By which lines somebody comes in, and which cut them off. */
  readonly access?: AccessWords | undefined;
  /** Lines that the device asks a question about before it takes them. */
  readonly asks?: readonly RegExp[] | undefined;
}

/** A place of secrets. */
export interface SecretPlace {
  /** Its group `secret`, or the first one, is the secret. */
  readonly pattern: RegExp;
  /** Only below a line that matches, by indentation, at any depth. */
  readonly within?: RegExp | undefined;
  /** The secret consists of the lines that follow, up to one that matches; `pattern` needs no group then. */
  readonly until?: RegExp | undefined;
  /** The device encrypts it anew at each show: another text is no change. */
  readonly reencrypted?: true | undefined;
}

/**
 * One rollback method. In all its commands `{name}` is a unique name that the service generates; `{minutes}`,
 * `{seconds}` and `{time}` (HH:MM:SS) are the time after which the device rolls back automatically.
 */
export interface Undo {
  readonly way: UndoWay;
  /** Only if the device's answer matches. */
  readonly when?: { readonly send: string; readonly says: RegExp };
  /** The device rolls back automatically unless the push is confirmed; the longest timer it supports, in minutes. */
  readonly timer?: { readonly mostMinutes: number };
  /** Saves the running configuration before the first line. If a step fails, the job ends and nothing is pushed. */
  readonly before?: readonly Step[];
  /** Enters the configuration, instead of the level's own command. */
  readonly enter?: string;
  /** Replaces the platform's candidate, for one that only this method has. Its `confirm` commits the push. */
  readonly candidate?: Candidate;
  /**
   * The push lasts only while the configuration stays open, and is discarded when it is left. This is how a show
   * command is sent from there; `{command}` is replaced.
   */
  readonly within?: string;
  /** The level at which `keep` and `back` are sent; default: the platform's home. */
  readonly level?: string;
  /** Makes the push permanent. */
  readonly keep?: readonly Step[];
  /** Starts the timer of a push anew, in another session; what the device goes back to stays the same. */
  readonly extend?: readonly Step[];
  /** Rolls the push back. Absent for `difference`: added lines are negated, removed ones restored. */
  readonly back?: readonly Step[];
  /** Removes what `before` created. */
  readonly clean?: readonly Step[];
  /**
   * `back` reverts the last commit, whoever made it: it is sent only if the running configuration is still the one that
   * the push left.
   */
  readonly alone?: true;
}
