/** What only simulated devices need to know of a platform: how the system words things, its modes and contexts. */

/** Each field has a default that suits most. */
export interface Simulated {
  /** The level in which a login lands; default: the first one without `from`. */
  readonly lands?: string;
  /** What a refused line is answered with; default: the first well-known wording that `errors` takes for a refusal. */
  readonly refusal?: string;
  /** How the enable password is asked for; default `Password: `. */
  readonly asks?: string;
  /** What a wrong enable password is answered with; default `% Access denied`. */
  readonly denied?: string;
  /** What a save prints; default `[OK]`. */
  readonly saved?: string;
  /** What a commit prints; default `commit complete`. */
  readonly committed?: string;
  /** The configuration line that gives the device another name; default `hostname {name}`. `null`: there is none. */
  readonly rename?: string | null;
  /** So much of a name is shown in the configuration; default: all of it. */
  readonly nameWidth?: number;
  /** Modes of the configuration; default: interfaces, routing processes, VLANs and access lists in the style of Cisco. */
  readonly modes?: readonly SimulatedMode[];
  /** Leads up by one mode; default `exit` and `quit`. */
  readonly up?: RegExp;
  /** Leads up by one mode and by those that it stands within, where that is no command of a level (`end` of FortiOS). */
  readonly out?: RegExp;
  /** Contexts that give the prompt another name. */
  readonly contexts?: readonly SimulatedContext[];
  /** Whose filters stand behind a `|`; default: there are none. */
  readonly pipes?: "ios" | "nxos" | "junos" | "vrp";
  /** Commands at which the device asks, one question after the other. */
  readonly dialogues?: readonly SimulatedDialogue[];
  /** Commands by which a push is kept, made to last and taken back. */
  readonly ways?: readonly SimulatedWay[];
}

export interface SimulatedMode {
  /** The line that leads into it. */
  readonly line: RegExp;
  /** What stands in brackets in place of `config`, or the whole prompt on a device named `R1`; `$1` is a group of `line`. */
  readonly mark?: string;
  readonly prompt?: string;
  /** It is entered from a mode whose line matches this, and stands within it; default: from anywhere, within none. */
  readonly within?: RegExp;
}

export interface SimulatedContext {
  readonly enter: RegExp;
  /** What stands for the name `R1` then; `$1` is a group of `enter`. */
  readonly name: string;
  readonly leave: RegExp;
}

export interface SimulatedDialogue {
  readonly line: RegExp;
  /** `key`: one key answers it, without a line end. */
  readonly asks: readonly { readonly text: string; readonly key?: true }[];
  readonly says?: string;
}

/**
 * One of them. What it does:
 * - `keep`, `restore`, `forget`: a copy of what runs, by its name.
 * - `open`, `drop`: a candidate with a name of its own, in which the configuration is entered; `commit` and `trial` put it in
 *   force.
 * - `trial`: commits for so many minutes; with `enters` the lines that follow are those of the trial.
 * - `commit`: for good, what waits in a trial as well.
 * - `revert`: takes a trial back. `previous`: the candidate is what ran before the last commit.
 */
export interface SimulatedWay {
  /** With the groups `name`, `minutes` or `time` (HH:MM:SS) where they are needed. */
  readonly line: RegExp;
  readonly does: "keep" | "restore" | "forget" | "open" | "drop" | "trial" | "commit" | "revert" | "previous";
  /** Where it is known; default: the platform's home. */
  readonly level?: string;
  readonly enters?: true;
  /** Asked first; `$1` is the name. */
  readonly asks?: readonly { readonly text: string }[];
  readonly says?: string;
  /** What is said where there is nothing of that name, or nothing that waits. */
  readonly lacks?: string;
  /** The trial ends with the configuration it was made in: asked before that is left, `yes` takes it back. */
  readonly leaving?: string;
}
