/** Recorded answers of the command line by the command that was typed. */
import type { RecordedCase } from "./recorded.ts";

/** What a device says to a command that nobody recorded. */
const unknown = "                 ^\n% Invalid input detected at '^' marker.\n";

export function answersOf({ calls, files }: RecordedCase): (command: string) => string {
  const byCommand = new Map(
    calls
      .flatMap(({ requests }) => requests)
      .map(({ cli, file }) => [String(cli).trim(), files[String(file)]] as const),
  );
  return (command) => byCommand.get(command) ?? unknown;
}
