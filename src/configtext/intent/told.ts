/** What a comparison found, as it is stored: texts, as the thread that stores them would keep thousands of objects. */
import type { Compared, DriftLine, SectionState } from "./compare.ts";

export interface ToldDrift {
  readonly state: SectionState;
  /** Sections that want what should be absent. */
  readonly wrong: readonly string[];
  /** Secrets that could not be compared. */
  readonly unverified: number;
  /** Lines of the intent that belong to no section. */
  readonly unmatched: number;
  /** JSON: name, state and counts of each. */
  readonly sections: string;
  /** JSON: the changes of each section that has some; null: none has. */
  readonly changes: string | null;
  /** Each as JSON: section, kind, line. */
  readonly lines: readonly string[];
}

/** Lines of one result that are stored; the counts have all. */
const mostLines = 500;
export const mostLineChars = 1_000;

const short = (text: string) => (text.length > mostLineChars ? `${text.slice(0, mostLineChars)}…` : text);
const shortChange = ({ kind, path, lines, was }: DriftLine) => ({
  ...{ kind, path: path.map(short), text: short(lines.join("\n")) },
  ...(was === undefined ? {} : { was: short(was.join("\n")) }),
});
/** The worst state of a section is that of the device. */
const order = ["intent_error", "drifted", "unknown"] as const;

export function toldDrift({ sections, unmatched }: Compared): ToldDrift {
  let room = mostLines;
  const changes = sections.map(({ name, lines, isCut }) => {
    const kept = lines.slice(0, room);
    room -= kept.length;
    const cut = isCut || kept.length < lines.length ? { cut: true } : {};
    return { section: name, changes: kept.map(shortChange), ...cut };
  });
  const kept = changes.filter(({ changes }) => changes.length > 0);
  const states = new Set(sections.map(({ state }) => state));
  return {
    state: order.find((one) => states.has(one)) ?? "compliant",
    wrong: sections.filter(({ state }) => state === "intent_error").map(({ name }) => name),
    unverified: sections.reduce((sum, { counts }) => sum + counts.unverified, 0),
    unmatched,
    sections: JSON.stringify(
      sections.map(({ name, state, counts: { missing, extra, differs, moved, unverified } }) => ({
        ...{ name, state, missing, extra, differs: differs + moved, unverified },
      })),
    ),
    changes: kept.length === 0 ? null : JSON.stringify(kept),
    lines: kept.flatMap(({ section, changes }) =>
      changes
        .filter(({ kind }) => kind !== "unverified")
        .map(({ kind, path, text }) => JSON.stringify([section, kind, short([...path, text].join(" > "))])),
    ),
  };
}
