/** What the template loader needs: macros, files, calls, limits, warnings. */
import type { Meter, Value } from "../python/index.ts";
import type { Interpreter } from "./macro/contract.ts";
import type { ReadCalls } from "./template/attributes.ts";
import type { Files } from "./template/files.ts";

export interface Environment {
  readonly interpreter: Interpreter;
  readonly meter: Meter;
  readonly files: Files;
  readonly readCalls: ReadCalls;
  /** Names available to macros besides the built-in ones: `_ttp_`. */
  readonly extraNames: ReadonlyMap<string, Value>;
  readonly now: () => Date;
  /** Reports a likely mistake in the template. */
  readonly warn: (message: string) => void;
}
