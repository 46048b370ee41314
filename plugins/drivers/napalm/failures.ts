/** Which failures are those of one method: with the others the session is gone, or the job's time. */
export const ofOneMethod: ReadonlySet<string> = new Set(["CommandError", "ParseError", "DriverError"]);
