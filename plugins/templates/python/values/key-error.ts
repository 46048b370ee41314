/** KeyError, which keeps the missing key as in Python. */
import { PyError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { repr } from "../text/repr.ts";
import type { Value } from "./values.ts";

export class MissingKey extends PyError {
  constructor(
    readonly key: Value,
    meter: Meter,
  ) {
    super("KeyError", repr(key, meter));
  }
}
