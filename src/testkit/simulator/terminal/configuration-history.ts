/**
 * Configuration history of a simulated device: named candidates, the configuration before each commit, and a
 * provisional commit.
 */
import type { Configuration } from "./configuration.ts";

export interface ProvisionalCommit {
  /** Of the candidate, or of whoever made it. */
  readonly name: string | undefined;
  /** The session whose end also ends it. */
  readonly owner: object | undefined;
}

export interface Change {
  /** The lines that opened the modes of the line. */
  readonly path: readonly string[];
  readonly line: string;
}

export interface ConfigurationHistory {
  readonly copies: Map<string, readonly string[]>;
  /** Named candidates, shared between sessions. */
  readonly candidates: Map<string, Change[]>;
  /** The candidate of all sessions, on systems that have only one. */
  readonly shared: Change[];
  /** The running configuration before each commit. */
  readonly history: (readonly string[])[];
  trial(): (ProvisionalCommit & { readonly minutes: number }) | undefined;
  begin(trial: ProvisionalCommit, minutes: number): void;
  /** Makes the provisional commit permanent. */
  confirm(): void;
  /** Rolls the provisional commit back. */
  revert(): void;
}

export interface ConfigurationHistoryOptions {
  readonly configuration: Configuration;
  /** Applies side effects of a new running configuration, such as a changed host name. */
  applied(): void;
  /** Simulated length of a minute. */
  readonly minuteMs: number;
}

export function createConfigurationHistory({
  configuration,
  applied,
  minuteMs,
}: ConfigurationHistoryOptions): ConfigurationHistory {
  const history: (readonly string[])[] = [];
  let pending:
    | (ProvisionalCommit & {
        minutes: number;
        before: readonly string[];
        timer: ReturnType<typeof setTimeout>;
      })
    | undefined;

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
    shared: [],
    history,
    trial: () => pending,
    begin(trial, minutes) {
      clearTimeout(pending?.timer);
      const timer = setTimeout(revert, minutes * minuteMs);
      timer.unref();
      pending = { ...trial, minutes, timer, before: pending?.before ?? configuration.lines() };
    },
    confirm: () => void end(),
    revert,
  };
}
