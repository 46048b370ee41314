/** Errors that affect only one method; any other one means that the session or the job's time is lost. */
export const ofOneMethod: ReadonlySet<string> = new Set(["CommandError", "ParseError", "DriverError"]);
