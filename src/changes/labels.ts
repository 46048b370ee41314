/** Words on changes: labels of their bulks, by which lists tell them apart, and counts. */

/** As long as a label may be. */
const most = 200;

export const devicesOf = (count: number): string => (count === 1 ? "1 device" : `${count} devices`);

const doings = {
  rehearsal: "rehearsal of",
  comparison: "comparison of",
  sentinels: "sentinels of",
  return: "return of",
  reading: "read before",
  left: "read after",
  proving: "read after the timers of",
  "return.reading": "read before the return of",
  "return.left": "read after the return of",
  "return.proving": "read after the return of",
} as const;

/** Cut to what a label may have: a name may be as long itself. */
export function labelOf(doing: keyof typeof doings, name: string): string {
  const label = `${doings[doing]} ${name}`;
  if (label.length <= most) return label;
  // Between the halves of a character is no place to cut.
  const end = label.codePointAt(most - 2) === label.charCodeAt(most - 2) ? most - 1 : most - 2;
  return `${label.slice(0, end)}…`;
}
