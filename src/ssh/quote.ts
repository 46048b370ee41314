/** Text for a POSIX shell: words it must not touch, and variables for one command. */
import { ServiceError } from "../base/errors.ts";

/** One word, whatever it holds. */
export function shellQuote(word: string): string {
  if (word.includes("\0")) throw new ServiceError("DriverError", "A NUL character cannot be sent to a shell");
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** sshd drops variables that its AcceptEnv does not list, so they are set by the shell itself, in front of the command. */
export function withEnvironment(command: string, environment: Readonly<Record<string, string>> = {}): string {
  const entries = Object.entries(environment);
  if (entries.length === 0) return command;
  const assignments = entries.map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new ServiceError(
        "DriverError",
        `${JSON.stringify(name)} cannot be the name of an environment variable`,
      );
    }
    return `${name}=${shellQuote(value)}`;
  });
  return `export ${assignments.join(" ")}\n${command}`;
}
