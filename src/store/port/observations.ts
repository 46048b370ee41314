/**
 * Facts learned by connecting to devices of the inventory. Stored apart from the inventory entry and deleted with it.
 */
import type { HostKeyRow } from "../tables/access.ts";
import type { Opened } from "../tables/columns.ts";
import type { FactsRow } from "../tables/inventory.ts";

/** By the device's lower-case name; null leaves a field unchanged. Facts are JSON text. */
export interface NewObservation extends Opened<Omit<FactsRow, "name" | "factsAt" | "revision">> {
  readonly key: string;
}

export interface StoredObservation extends NewObservation, Pick<FactsRow, "factsAt" | "revision"> {}

export type HostKeySeen = Omit<HostKeyRow, "seenAt">;

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
