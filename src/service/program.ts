/** Entry points of this program, for commands. */
export interface Program {
  /** URL of the device threads' entry, created next to main.ts. */
  readonly threadEntry: string;
  /** Path of main.ts, for children when run from source. */
  readonly mainPath: string;
}
