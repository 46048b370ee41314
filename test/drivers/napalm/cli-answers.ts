/** Recorded CLI responses by command. */
import type { RecordedCase } from "./recorded.ts";

/** The device's response to a command that was not recorded. */
const unknown = "                 ^\n% Invalid input detected at '^' marker.\n";

export function answersOf({ calls, files }: RecordedCase): (command: string) => string {
  const byCommand = new Map(
    calls
      .flatMap(({ requests }) => requests)
      .map(({ cli, file }) => [String(cli).trim(), files[String(file)]] as const),
  );
  return (command) => byCommand.get(command) ?? unknown;
}
