/** The configuration of a twin, as a simulated device reads and writes it. */
import type { Twin, TwinCursor } from "../../../twin/twin.ts";
import type { Configuration } from "../terminal/configuration.ts";
import type { Change } from "../terminal/configuration-history.ts";

export function twinConfiguration(twin: Twin): Configuration {
  return {
    add: (path, line) => addTo(twin, { path, line }),
    lines: () => twin.running().trimEnd().split("\n"),
    replace: (lines) => twin.replace(`${lines.join("\n")}\n`),
  };
}

/** Takes a line where it stood in another copy of the configuration. */
export function addTo(twin: Twin, { path, line }: Change): void {
  const cursor = twin.cursor();
  stepInto(cursor, twin, path);
  cursor.take(line.split("\n"));
}

export function stepInto(cursor: TwinCursor, twin: Twin, path: readonly string[]): void {
  if (path.length === 0) return;
  // Of a system of paths, which has commands, a path is words.
  if (twin.commands() !== undefined) cursor.take([`edit ${path.join(" ")}`]);
  else for (const [depth, line] of path.entries()) cursor.take([" ".repeat(depth) + line], true);
}
