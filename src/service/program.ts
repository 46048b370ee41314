/** What a command knows of the program it is part of. */
export interface Program {
  /** URL of the device threads' entry, made beside main.ts. */
  readonly threadEntry: string;
  /** Path of main.ts, for children when run from source. */
  readonly mainPath: string;
}
