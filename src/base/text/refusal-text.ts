/** What a job says of a query that the device refused: written by the session, read where the cause matters. */

const start = "the device refused ";

export function refusedQuery(command: string, words: string): string {
  return `${start}${JSON.stringify(command)}: ${words}`;
}

/** The words of the device; undefined: no warning says that it refused the command. */
export function wordsOfRefusal(warnings: readonly string[], command: string): string | undefined {
  const prefix = refusedQuery(command, "");
  return warnings.find((warning) => warning.startsWith(prefix))?.slice(prefix.length);
}

/** Part of the stored warnings, a JSON list, of a job whose device refused a command. */
export const storedRefusal = `"${start}`;
