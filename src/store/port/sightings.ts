/** What was learnt of devices of the inventory by talking to them: beside what was written, and gone with the device. */

/** By the name of the device in small letters; null: nothing new. */
export interface NewSighting {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly seenAt: number | null;
  readonly loginFailedAt: number | null;
  /** Kind of the error. */
  readonly loginError: string | null;
  /** JSON text of what it said it is. */
  readonly facts: string | null;
}

export interface StoredSighting extends NewSighting {
  /** When it said so. */
  readonly factsAt: number | null;
  /** Grows with each discovery; null: there was none. */
  readonly revision: number | null;
}

export interface HostKeySeen {
  readonly host: string;
  readonly port: number;
  readonly type: string;
  readonly fingerprint: string;
}

export interface Sightings {
  /** One statement for some hundred devices; those that are not in the inventory are left out, and what is older than what stands there. */
  write(sightings: readonly NewSighting[]): Promise<void>;

  /** Those of these devices of which something is known. */
  of(keys: readonly string[]): Promise<StoredSighting[]>;

  /** Whom a discovery found behind a revision, by revision: some more than the limit, where one write found many. */
  discovered(behind: number, limit: number): Promise<StoredSighting[]>;

  /** How many a discovery has found. */
  countDiscovered(): Promise<number>;

  /** Host keys that were learnt on a direct way. */
  hostKeys(hosts: readonly string[]): Promise<HostKeySeen[]>;
}
