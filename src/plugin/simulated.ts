/** Platform data that only simulated devices need: how the system words its messages, its modes and contexts. */

/** Every field has a default that suits most platforms. */
export interface Simulated {
  /** The level in which a login lands; default: the first one without `from`. */
  readonly lands?: string;
  /** Answer to a rejected line; default: the first well-known wording that `errors` matches. */
  readonly refusal?: string;
  /** Prompt for the enable password; default `Password: `. */
  readonly asks?: string;
  /** Answer to a wrong enable password; default `% Access denied`. */
  readonly denied?: string;
  /** What a save prints; default `[OK]`. */
  readonly saved?: string;
  /** What a commit prints; default `commit complete`. */
  readonly committed?: string;
  /** The configuration line that renames the device; default `hostname {name}`. `null`: there is none. */
  readonly rename?: string | null;
  /** The configuration shows this many characters of the name; default: all. */
  readonly nameWidth?: number;
  /** Configuration modes; default: interfaces, routing processes, VLANs and access lists in the style of Cisco. */
  readonly modes?: readonly SimulatedMode[];
  /** Leaves one mode; default `exit` and `quit`. */
  readonly up?: RegExp;
  /** Leaves one mode and all modes that enclose it, if this is not a command of a level (`end` of FortiOS). */
  readonly out?: RegExp;
  /** Contexts that change the name in the prompt. */
  readonly contexts?: readonly SimulatedContext[];
  /** Whose filters are available after a `|`; default: none. */
  readonly pipes?: "ios" | "nxos" | "junos" | "vrp";
  /** Commands that ask questions, one after the other. */
  readonly dialogues?: readonly SimulatedDialogue[];
  /** Commands that save, confirm and roll back a push. */
  readonly ways?: readonly SimulatedWay[];
}

export interface SimulatedMode {
  /** The line that enters the mode. */
  readonly line: RegExp;
  /** Text in brackets in place of `config`, or the whole prompt on a device named `R1`; `$1` is a group of `line`. */
  readonly mark?: string;
  readonly prompt?: string;
  /**
   * The mode is entered from a mode whose line matches this, and is nested in it; default: from anywhere, nested in
   * none.
   */
  readonly within?: RegExp;
}

export interface SimulatedContext {
  readonly enter: RegExp;
  /** Replaces the name `R1` in the prompt; `$1` is a group of `enter`. */
  readonly name: string;
  readonly leave: RegExp;
}

export interface SimulatedDialogue {
  readonly line: RegExp;
  /** `key`: answered with a single key, without a line end. */
  readonly asks: readonly { readonly text: string; readonly key?: true }[];
  readonly says?: string;
}

/**
 * One such command. What it does:
 * - `keep`, `restore`, `forget`: save, restore or delete a named copy of the running configuration.
 * - `open`, `drop`: open or discard a named candidate, in which the configuration is entered; `commit` and `trial`
 * apply it.
 * - `trial`: commits for the given number of minutes; with `enters`, the lines that follow belong to the trial.
 * - `commit`: commits permanently, including a pending trial.
 * - `extend`: a trial goes on for the given number of minutes, as a `trial` of the same name does.
 * - `revert`: rolls back a trial. `previous`: loads the configuration before the last commit into the candidate.
 */
export interface SimulatedWay {
  /** With the groups `name`, `minutes` or `time` (HH:MM:SS) as required. */
  readonly line: RegExp;
  readonly does:
    | "keep"
    | "restore"
    | "forget"
    | "open"
    | "drop"
    | "trial"
    | "commit"
    | "revert"
    | "previous"
    | "extend";
  /** The level that knows it; default: the platform's home. */
  readonly level?: string;
  readonly enters?: true;
  /** Asked first; `$1` is the name. */
  readonly asks?: readonly { readonly text: string }[];
  readonly says?: string;
  /** The answer if the name does not exist or no trial is pending. */
  readonly lacks?: string;
  /** The trial ends with the configuration it was made in: this is asked before leaving, and `yes` rolls it back. */
  readonly leaving?: string;
}
