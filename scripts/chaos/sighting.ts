/** A line that a device was given. */

export interface Sighting {
  readonly host: string;
  readonly line: string;
  /** Milliseconds of the wall clock. */
  readonly at: number;
  /** Login of that device or connection to it, counted from 1. */
  readonly session: number;
}
