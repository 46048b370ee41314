/** Which section of an intent each line of a configuration belongs to. */
import { type IntentMode, pathSign } from "../../base/intent-modes.ts";
import { anyChars, type GlobParts, globOf } from "../../base/regex/glob.ts";
import type { Entry, Section } from "../../configtree/model.ts";

export interface IntentSection {
  readonly name: string;
  /** Patterns of lines: `*` is any text, ` > ` stands between the lines of a path. */
  readonly match: readonly string[];
  readonly mode: IntentMode;
}

export interface IntentSections {
  readonly sections: readonly IntentSection[];
  /** Patterns of lines that are not compared: at any depth, or as a path. */
  readonly ignore: readonly string[];
}

/** The number of a section; `none`: of no section; `ignored`: not compared. */
export const none = -1;
export const ignored = -2;

interface Step {
  /** Of the lines that it matches, the first word; empty: any. */
  readonly word: string;
  readonly matches: (line: string) => boolean;
  readonly next: Step | undefined;
  readonly section: number;
}

/** Steps by the first word of the lines that they match; those of any word under the empty one. */
type Steps = ReadonlyMap<string, readonly Step[]>;

const noSteps: Steps = new Map();

export interface Place {
  /** Steps that may go on below a line. */
  readonly steps: Steps;
  readonly section: number;
}

/** The first section that matches a line has it, with all below it that no other one matches. */
export function createPlaces({ sections, ignore }: IntentSections) {
  const deep = ignore.filter((pattern) => !pattern.includes(pathSign)).map((pattern) => globFor(pattern));
  const top: Place = {
    section: none,
    steps: stepsOf([
      ...ignore.filter((pattern) => pattern.includes(pathSign)).map((pattern) => stepOf(pattern, ignored)),
      ...sections.flatMap(({ match }, at) => match.map((pattern) => stepOf(pattern, at))),
    ]),
  };

  return {
    top,
    placeOf(above: Place, { lines }: Entry): Place {
      if (above.section === ignored) return above;
      const line = words(lines[0] ?? "");
      if (deep.some((matches) => matches(line))) return { section: ignored, steps: noSteps };
      let { section } = above;
      let isOwn = false;
      const next: Step[] = [];
      for (const step of stepsFor(above.steps, line)) {
        if (!step.matches(line)) continue;
        if (step.next !== undefined) next.push(step.next);
        else if (!isOwn || step.section === ignored) {
          section = step.section;
          isOwn = true;
        }
      }
      return { section, steps: next.length === 0 ? noSteps : stepsOf(next) };
    },
  };
}

export const emptySection: Section = {
  header: "",
  entries: new Map(),
  singles: new Map(),
  distincts: new Map(),
  known: new Map(),
};

function* stepsFor(steps: Steps, line: string): Generator<Step> {
  if (steps.size === 0) return;
  const blank = line.indexOf(" ");
  // In the order of the sections, those of any word included.
  const own = steps.get(blank < 0 ? line : line.slice(0, blank)) ?? [];
  const any = steps.get("") ?? [];
  let [a, b] = [0, 0];
  while (a < own.length || b < any.length) {
    const [one, other] = [own[a], any[b]];
    if (other === undefined || (one !== undefined && orderOf(one) <= orderOf(other))) {
      a++;
      if (one !== undefined) yield one;
    } else {
      b++;
      yield other;
    }
  }
}

const orderOf = ({ section }: Step) => section;

const stepsOf = (all: readonly Step[]): Steps => Map.groupBy(all, ({ word }) => word);

function stepOf(pattern: string, section: number): Step {
  const [first = "", ...rest] = pattern.split(pathSign);
  const next = rest.length === 0 ? undefined : stepOf(rest.join(pathSign), section);
  const word = /^[^\s*]+(?= |$)/.exec(words(first))?.[0] ?? "";
  return { word, matches: globFor(first), next, section };
}

/** How many blanks stand between two words means nothing. */
const words = (line: string) => {
  const trimmed = line.trim();
  return trimmed.includes("  ") || trimmed.includes("\t") ? trimmed.replaceAll(/\s+/g, " ") : trimmed;
};

function globFor(pattern: string): (line: string) => boolean {
  const [first = "", ...rest] = words(pattern).split("*");
  return globOf([first, ...rest.flatMap((piece): GlobParts => [anyChars, piece])]);
}
