/** Contract of a platform: how the command line of one vendor's system behaves, as data. */
import type { Manifest } from "./kit.ts";
import type { Simulated } from "./simulated.ts";

export interface PlatformPlugin extends Manifest<"platform"> {
  /** Other `device_type` names that mean the same. `<name>_ssh` and `<name>_telnet` need no alias. */
  readonly aliases?: readonly string[];
  /**
   * Privilege levels by name. The prompt tells the level; the level is never remembered alone.
   * Levels farther from the login (longer `from` chains) are tried first, then in the order written;
   * the first whose `prompt` matches and whose `not` doesn't is it.
   */
  readonly levels: Readonly<Record<string, PrivilegeLevel>>;
  /**
   * The level in which queries run and to which every job returns. It is entered after login unless the way there
   * asks for a password and no `secret` was given; a login that lands above it stays where it landed.
   */
  readonly home: string;
  /** The level in which configuration lines are sent; absent: lines are sent at `home`. */
  readonly config?: string;
  /**
   * Levels that take configuration lines themselves and at once: a login that lands in one of them enters no `config`
   * and commits nothing. For a system with a second command line, of an older style.
   */
  readonly inPlace?: readonly string[];
  /** By what a session that does not know the platform (`device_type` "autodetect") tells it. */
  readonly detect?: readonly Detection[];
  /** Answers that may be asked between the SSH login and the first prompt (press any key, a licence, a shell). */
  readonly login?: readonly Question[];
  /** Commands sent once after login, at the level in which the device lands (paging off, width). Refusals are ignored. */
  readonly prepare?: readonly string[];
  /** Commands of the same kind that only this level knows; sent once, when the session first stands in it. */
  readonly prepareAt?: { readonly level: string; readonly commands: readonly string[] };
  /** Commands sent before the session is closed; default `exit` is not sent: the channel is closed. */
  readonly goodbye?: readonly string[];
  /** What a refused line looks like; tested on the device's answer, anchored at line starts. */
  readonly errors: readonly RegExp[];
  /** Typed before the next line where the editor holds a refused one and shows it behind the prompt (Ctrl-U). */
  readonly afterRefusal?: string;
  /** A pager that shows in spite of `prepare`, and what to press. */
  readonly pager?: Pager;
  /** Questions a configuration line may ask, with the answer that means yes. A query that asks is reported instead. */
  readonly questions?: readonly Question[];
  /**
   * True where no prompt is shown: an answer ends with a whole line, such as `OK`, that a level's `prompt` matches.
   * One that `errors` match as well ends it, too, and is told with it. An empty line is not answered: `prepare` must
   * hold a command that is.
   */
  readonly endsWithLine?: true;
  /** What a command chooses, and what stays chosen until another does: a virtual firewall, a tenant, a place in a tree. */
  readonly context?: PromptContext;
  /**
   * True where commands change what no prompt shows and what a later job would find: the directory, the variables and
   * the umask of a shell.
   */
  readonly hiddenState?: true;
  /** A line that may stand above the prompt and belongs to it (`{master:0}`, `[edit]`): never part of an output. */
  readonly above?: RegExp;
  /**
   * Lines that open a block of text: up to its end the device shows no prompt. `end` is tested on each following line;
   * absent: the block ends with the line that holds the first group of `start` again (the delimiter of a banner).
   * Default: the `banner` of Cisco-like systems.
   */
  readonly blocks?: readonly { readonly start: RegExp; readonly end?: RegExp }[];
  /**
   * Writes the running configuration to the startup configuration. Run at `saveLevel`, default `home`.
   * An empty list: the device keeps every change by itself. Absent: nobody knows how (a commit saves where there is one).
   */
  readonly save?: readonly Step[];
  readonly saveLevel?: string;
  /** A candidate configuration: lines take effect by `commit`. */
  readonly candidate?: Candidate;
  /** Shows the configuration that runs: with it is told whether a push was taken back. */
  readonly running?: Running;
  /** Ways to take a push back, the best first: the first that fits the device is used. Absent: none is sure. */
  readonly undo?: readonly Undo[];
  /** Line end that is sent; default "\n". */
  readonly newline?: "\n" | "\r" | "\r\n";
  /** Terminal that is asked for; default 511 x 1000. */
  readonly terminal?: { readonly cols: number; readonly rows: number; readonly type?: string };
  /** False where the device does not echo what is typed. */
  readonly echo?: false;
  /** Character set of the console, a WHATWG label such as `shift_jis`; default UTF-8. */
  readonly encoding?: string;
  /**
   * User name as the device wants it, `{username}` is replaced (`{username}+ct511w4098h`). Without that in it, it is the
   * account of SSH alone, and the shell asks for the caller's own.
   */
  readonly loginAs?: string;
  /**
   * True where configuration lines may be typed before those in front of them were answered, if a push asks for it: the
   * system reads them one by one, shows a prompt for each, and every mode of its configuration shows in the prompt.
   */
  readonly pipelines?: true;
  /** Old gear: group1/group14-sha1, CBC ciphers, ssh-rsa are offered without being asked for. */
  readonly legacySsh?: true;
  /** Login dialogue over Telnet, where it differs from `login:`/`password:`. */
  readonly telnet?: { readonly username?: RegExp; readonly password?: RegExp; readonly failed?: RegExp };
  /** File transfer: by which protocol, and how the device computes a hash. */
  readonly files?: {
    readonly by: readonly ("sftp" | "scp")[];
    /** Command that prints a hash of `{path}`, and the expression whose first group is the hash. */
    readonly hash?: {
      readonly algorithm: "md5" | "sha256" | "sha512";
      readonly command: string;
      readonly match: RegExp;
    };
    /** Commands that let the device accept files, run at `config` level before the first transfer. */
    readonly enable?: readonly string[];
  };
  readonly simulated?: Simulated;
  /** Shown in docs/platforms.md: what was decided without a device at hand. */
  readonly unsure?: readonly string[];
}

/** A context that stands in the prompt beside the privilege level. */
export interface PromptContext {
  /** Found in the prompt, not anchored: its first group is the name of the context. No match: none is chosen. */
  readonly pattern: RegExp;
  /** Chooses one, `{context}` is replaced by its name. Absent: it can be left only. */
  readonly enter?: string;
  /** Leads back to where none is chosen, by one step: sent again while the prompt still shows one and changes. */
  readonly leave: string;
}

export interface Detection {
  /** A command that reads, and that other systems at most refuse. */
  readonly send: string;
  readonly says: RegExp;
  /** Others say so, too: it counts only where nothing else is found. */
  readonly vague?: true;
}

export interface PrivilegeLevel {
  /** A prompt of this level on a device named `R1`: simulated devices show it, tests try it. */
  readonly example?: string;
  /** Matches the whole prompt, which is the last line; anchored by the terminal layer. */
  readonly prompt: RegExp;
  /** Must not match, where `prompt` alone is too wide. */
  readonly not?: RegExp;
  /** The level below, from which `enter` leads here. */
  readonly from?: string;
  readonly enter?: string;
  /** Leads back to `from`. */
  readonly leave?: string;
  /** A password prompt that `enter` may show; answered with `secret`. */
  readonly asks?: RegExp;
  /**
   * How it is entered where the caller gave no `secret`; absent: not at all where `asks` would ask. Default of `enter`:
   * the level's own. `{username}` and `{password}` are replaced by those of the login. Where the device refuses, queries
   * run below.
   */
  readonly withoutSecret?: { readonly enter?: string; readonly questions: readonly Question[] };
  /** Typed once `enter` has led here: a second command that may ask for the same password. It may be refused. */
  readonly also?: string;
  /** What the device says to a wrong password or a refused `enter`. */
  readonly refused?: RegExp;
  /** Questions that `leave` may ask. */
  readonly leaveQuestions?: readonly Question[];
}

export interface Pager {
  readonly prompt: RegExp;
  readonly press: string;
  /** How the device words it, for simulated devices; default `--More--`. */
  readonly example?: string;
  /** Other stops in the middle of an output, each with its own key (`Press Enter to continue...`). */
  readonly others?: readonly Pick<Pager, "prompt" | "press">[];
}

/** A question of the device and the answer to it. */
export interface Question {
  readonly ask: RegExp;
  /** How the device words it, for simulated devices. */
  readonly example?: string;
  /** `{username}` is replaced; in `login` also `{password}`. */
  readonly reply: string;
  /** False: the reply is sent without a line end. */
  readonly newline?: false;
}

export interface Step {
  readonly send: string;
  readonly questions?: readonly Question[];
  /** What must stand in the output; otherwise the step failed. */
  readonly success?: RegExp;
  readonly failed?: RegExp;
}

export interface Candidate {
  /** Shows the difference between candidate and running configuration. */
  readonly diff: string;
  /** `{comment}` is replaced. */
  readonly commit: readonly Step[];
  readonly commitComment?: readonly Step[];
  /** Commit that rolls back by itself unless it is confirmed within `{minutes}`, or `{seconds}`. */
  readonly confirm?: readonly Step[];
  /** The same with `{comment}`. */
  readonly confirmComment?: readonly Step[];
  readonly discard: readonly Step[];
  /** Tells why a commit failed, as long as the candidate is there. */
  readonly explain?: string;
  /** A commit that did not take. */
  readonly failed: readonly RegExp[];
}

/**
 * `confirmed_commit`: the device takes it back by itself unless it is confirmed. `rollback`, `checkpoint`: it keeps the
 * state before. `replace`: the configuration as it was is put in place. `difference`: lines that undo each line.
 */
export type UndoWay = "confirmed_commit" | "rollback" | "checkpoint" | "replace" | "difference";

/** The configuration that runs, as text. */
export interface Running {
  /** Asked at the platform's home. */
  readonly show: string;
  /** Lines that change by themselves: times, counters. They are left out where two of these texts are compared. */
  readonly ignore?: readonly RegExp[];
}

/**
 * One way. In all its commands `{name}` is a name of ours that nobody else has, `{minutes}`, `{seconds}` and `{time}`
 * (HH:MM:SS) say when the device takes the push back by itself.
 */
export interface Undo {
  readonly way: UndoWay;
  /** Only where the device says so. */
  readonly when?: { readonly send: string; readonly says: RegExp };
  /** The device takes a push back by itself unless it is made to last: the most minutes that it waits. */
  readonly timer?: { readonly mostMinutes: number };
  /** Keeps what runs, before the first line. A step that fails ends the job: nothing is pushed. */
  readonly before?: readonly Step[];
  /** Enters the configuration, in place of the level's own command. */
  readonly enter?: string;
  /** In place of the platform's own: a candidate that only this way has. Its `confirm` is how the push is committed. */
  readonly candidate?: Candidate;
  /**
   * The push lasts only while the configuration stays open, and is gone when it is left: how a command that reads is
   * typed there, `{command}` is replaced.
   */
  readonly within?: string;
  /** Where `keep` and `back` are typed; default: the platform's home. */
  readonly level?: string;
  /** Makes the push last. */
  readonly keep?: readonly Step[];
  /** Takes it back. Absent for `difference`: what was added is negated, what was removed is put back. */
  readonly back?: readonly Step[];
  /** Removes what `before` left. */
  readonly clean?: readonly Step[];
  /** `back` takes back the last commit, whoever made it: it is typed only while what runs is what the push has left. */
  readonly alone?: true;
}
