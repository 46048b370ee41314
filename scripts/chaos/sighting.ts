/** A line that a device received. */

export interface Sighting {
  readonly host: string;
  readonly line: string;
  /** Wall clock time in milliseconds. */
  readonly at: number;
  /** Number of the login or connection to that device, starting at 1. */
  readonly session: number;
}
