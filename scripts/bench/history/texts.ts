/** Configurations that change: the same at each run, a few lines from version to version. */
import { configurationOf, numbers } from "../configtext/texts.ts";

/** Characters of a configuration. */
const chars = 9_000;
const words = ["moved", "new", "spare", "reserved", "uplink", "test", "guest", "old"];

/** @yields the versions of a device, oldest first, each with one to four lines changed, added or removed */
export function* versionsOf(device: number, count: number): Generator<string> {
  const next = numbers(7_919 * (device + 1));
  const lines = configurationOf(device, chars).split("\n");
  for (let version = 0; version < count; version++) {
    if (version > 0) for (let changes = 1 + next(4); changes > 0; changes--) changeOne(lines, next);
    yield lines.join("\n");
  }
}

/** Only descriptions, as these may stand anywhere and differ. */
function changeOne(lines: string[], next: (below: number) => number): void {
  const places = lines.flatMap((line, at) => (line.startsWith(" description ") ? [at] : []));
  const at = places[next(places.length)] ?? 0;
  const line = ` description ${words[next(words.length)]} ${next(9_000)}-${next(1_000)} floor ${next(12)}`;
  const kind = next(10);
  if (kind === 0) lines.splice(at + 1, 0, ` storm-control multicast level ${next(100)}.00`);
  else if (kind === 1 && places.length > 20) lines.splice(at, 1);
  else lines[at] = line;
}

/** Of a version of a device, as a search for it finds it there. */
export const nameOf = (device: number) => `sw-${device}`;
