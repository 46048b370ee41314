/** Two clocks: the wall clock for display, and a monotonic one for decisions, which clock changes do not affect. */
export interface Clock {
  /** Milliseconds since 1970 by the machine's clock; may jump. */
  wall(): number;
  /** Wall time at the start plus monotonic time since; never less than a value written before. */
  steady(): number;
}
