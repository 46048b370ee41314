/** Tells a data directory from a copy of it: what was queued in a copy may have been run by the original, so it is held. */
export interface Home {
  /** Id of the data directory. */
  readonly id: string;
  /** Undefined: nothing was copied. */
  readonly copied: CopiedHome | undefined;
  /** Called every few seconds while the directory is used: a copy made before is older from then on. */
  advance(): Promise<void>;
}

export interface CopiedHome {
  readonly why: string;
  /** Jobs that were queued, or claimed without having sent anything. */
  readonly held: number;
  /** Jobs that were sending: they fail, and what they may have sent is told. */
  readonly sending: number;
}

/** The one process that owns a data directory. */
export interface Ownership {
  release(): void;
}
