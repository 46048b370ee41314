/**
 * Facts learned by connecting to devices of the inventory. Stored apart from the inventory entry and deleted with it.
 */

/** By the device's lower-case name; null leaves a field unchanged. */
export interface NewObservation {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly seenAt: number | null;
  readonly loginFailedAt: number | null;
  /** Error type. */
  readonly loginError: string | null;
  /** JSON text of the device's facts. */
  readonly facts: string | null;
}

export interface StoredObservation extends NewObservation {
  /** When they were read. */
  readonly factsAt: number | null;
  /** Increases with each discovery; null if there was none. */
  readonly revision: number | null;
}

export interface HostKeySeen {
  readonly host: string;
  readonly port: number;
  readonly type: string;
  readonly fingerprint: string;
}

export interface Observations {
  /**
   * One statement for a few hundred devices. Devices not in the inventory, and observations older than the stored ones,
   * are ignored.
   */
  write(observations: readonly NewObservation[]): Promise<void>;

  /** Sightings of these devices, if any. */
  of(keys: readonly string[]): Promise<StoredObservation[]>;

  /** Discovered devices after a revision, ordered by revision; may exceed the limit if one write discovered many. */
  discovered(behind: number, limit: number): Promise<StoredObservation[]>;

  /** Number of discovered devices. */
  countDiscovered(): Promise<number>;

  /** Host keys learned over direct connections. */
  hostKeys(hosts: readonly string[]): Promise<HostKeySeen[]>;
}
