/** Two times: the wall clock for people, and a steady one for decisions that no clock jump can turn. */
export interface Clock {
  /** Milliseconds since 1970 by the machine's clock; may jump. */
  wall(): number;
  /** Milliseconds since 1970 as they were at the start, plus the monotonic time since; never below what was written before. */
  steady(): number;
}
