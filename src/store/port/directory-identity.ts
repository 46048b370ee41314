/** Detects a copied data directory: the original may have run the jobs queued in the copy, so they are held. */
export interface DirectoryIdentity {
  /** Id of the data directory. */
  readonly id: string;
  /** Undefined if this is not a copy. */
  readonly copied: CopiedDirectory | undefined;
  /** Called every few seconds while the directory is in use, so that any copy made earlier is recognized as older. */
  advance(): Promise<void>;
}

export interface CopiedDirectory {
  readonly why: string;
  /** Jobs that were queued, or claimed but had sent nothing. */
  readonly held: number;
  /** Jobs that were sending: they fail and report the lines that may have been sent. */
  readonly sending: number;
}

/** The lock of the one process that owns a data directory. */
export interface Ownership {
  release(): void;
}
