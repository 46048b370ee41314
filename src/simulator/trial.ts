/** What a simulated device keeps of its configuration: copies by name, what ran before each commit, a commit on trial. */
import type { Configuration } from "./configuration.ts";

export interface Trial {
  /** Of the candidate, or of whoever made it. */
  readonly name: string | undefined;
  /** The session that it ends with. */
  readonly owner: object | undefined;
}

export interface Change {
  /** The lines that opened the modes in which it was given. */
  readonly path: readonly string[];
  readonly line: string;
}

export interface Kept {
  readonly copies: Map<string, readonly string[]>;
  /** Candidates with names, which sessions share. */
  readonly candidates: Map<string, Change[]>;
  /** What ran before each commit. */
  readonly history: (readonly string[])[];
  trial(): Trial | undefined;
  begin(trial: Trial, minutes: number): void;
  /** The trial lasts. */
  confirm(): void;
  /** The device takes it back. */
  revert(): void;
}

export interface KeptOptions {
  readonly configuration: Configuration;
  /** Makes what runs count: the name of the device may be another. */
  applied(): void;
  /** How long one of its minutes is. */
  readonly minuteMs: number;
}

export function createKept({ configuration, applied, minuteMs }: KeptOptions): Kept {
  const history: (readonly string[])[] = [];
  let pending: (Trial & { before: readonly string[]; timer: ReturnType<typeof setTimeout> }) | undefined;

  function end(): readonly string[] | undefined {
    const before = pending?.before;
    clearTimeout(pending?.timer);
    pending = undefined;
    return before;
  }

  function revert(): void {
    const before = end();
    if (before === undefined) return;
    history.push(configuration.lines());
    configuration.replace(before);
    applied();
  }

  return {
    copies: new Map(),
    candidates: new Map(),
    history,
    trial: () => pending,
    begin(trial, minutes) {
      clearTimeout(pending?.timer);
      const timer = setTimeout(revert, minutes * minuteMs);
      timer.unref();
      pending = { ...trial, timer, before: pending?.before ?? configuration.lines() };
    },
    confirm: () => void end(),
    revert,
  };
}
