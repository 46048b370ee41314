/** The grade of each line, and from where it is known. A line is never better than its evidence. */
import type { Grade, LineEvidence, RehearsedLine } from "../api/rehearsal.ts";
import { edits } from "../base/text/near-names.ts";
import type { Foreseen, ForeseenLine } from "../configlines/foresee.ts";
import type { StoredEvidence } from "../store/port.ts";

/** What the device itself said of the lines. */
export interface NativeCheck {
  /** Its words about a line that it refused, by the number of the line; 0: it does not say which. */
  readonly refused: ReadonlyMap<number, string>;
  readonly difference: string | undefined;
}

export interface GradeInput {
  readonly foreseen: Pick<Foreseen, "lines" | "there" | "lockouts">;
  /** With secrets as marks. */
  readonly lines: readonly string[];
  /** Of the platform. */
  readonly record: readonly StoredEvidence[];
  /** Major version of the device; undefined: not known. */
  readonly major: string | undefined;
  readonly asks: readonly RegExp[];
  /** Undefined: the device has not checked them. */
  readonly native: NativeCheck | undefined;
  /** Whether the answer may have texts of configurations. */
  readonly shows: boolean;
  iso(ms: number): string;
}

interface Graded {
  readonly grade: Grade;
  readonly why: string;
  readonly evidence: LineEvidence;
}

/** What is known of a shape at one place. */
interface Known {
  readonly section: string;
  readonly shape: string;
  /** Lines of it that stand in the configuration. */
  there: number;
  /** Of the same major version, and of all. */
  own: number;
  accepted: number;
  refused: number;
  words: string | undefined;
  lastAt: number;
}

/** Different shapes that a near one is looked for. */
const mostNear = 200;
const leaving = /^(?:end|return)$/;

export function gradeLines(input: GradeInput): RehearsedLine[] {
  const { foreseen, lines, native, shows } = input;
  const known = knownShapes(input);
  const cut = new Map(foreseen.lockouts.map(({ line, why }) => [line, why]));
  const nears = nearFinder(known);
  const last = foreseen.lines.findLast(({ effect }) => effect !== "leaves")?.line ?? 0;
  return foreseen.lines.map((seen) => {
    const text = lines[seen.line - 1] ?? "";
    const lockout = cut.get(seen.line);
    const all =
      lockout === undefined
        ? ((native && byDevice(seen, native)) ?? byKnowledge(seen, text.trim(), last, known, nears, input))
        : graded("locks_out", `it locks us out: ${shows ? lockout : "it cuts the way that we come by"}`, {
            from: "session",
          });
    return { line: seen.line, text, ...all };
  });
}

const graded = (grade: Grade, why: string, evidence: LineEvidence): Graded => ({ grade, why, evidence });

function byDevice({ line, effect }: ForeseenLine, { refused }: NativeCheck): Graded | undefined {
  const words = refused.get(line);
  if (words !== undefined)
    return graded("refused", "the device refused it in its own check", { from: "device", words });
  if (refused.size > 0 || effect === "nothing") return undefined;
  return graded("checked", "the device checked it with the others, and discarded them", { from: "device" });
}

function byKnowledge(
  seen: ForeseenLine,
  text: string,
  last: number,
  known: KnownShapes,
  near: (seen: ForeseenLine) => string | undefined,
  input: GradeInput,
): Graded {
  const { effect, line, path, refusal, section, shape } = seen;
  const other = input.shows ? `"${refusal?.of}"` : "another line";
  if (effect === "leaves") {
    const isOut = leaving.test(text) || path.length === 0;
    return isOut && line < last
      ? graded("leaves_mode", "it leaves the configuration, and lines follow", { from: "rules" })
      : graded("alike", "the word that leaves a section", { from: "rules" });
  }
  if (refusal !== undefined)
    return graded(
      "refused",
      {
        missing: `it needs "${refusal.of}", which is not there`,
        second: `${other} has to be removed first`,
        double: `${other} says the same already`,
      }[refusal.why],
      { from: "rules" },
    );
  if (input.asks.some((pattern) => pattern.test(text)))
    return graded("asks", "the device asks a question before it takes it", { from: "rules" });
  if (effect === "nothing")
    return graded("no_effect", "it is so already", { from: "configuration", accepted: 1 });
  const here = known.at(section, shape);
  if (here !== undefined) return byShape(here, input);
  if (effect === "removes")
    return graded("alike", "what it removes stands in the configuration", {
      from: "configuration",
      accepted: 1,
    });
  const elsewhere = isTelling(shape) ? known.elsewhere(section, shape) : undefined;
  if (elsewhere !== undefined)
    return isAround(elsewhere.section, section)
      ? graded(
          "leaves_mode",
          `such lines stand ${placeOf(elsewhere.section)}: it leaves its section`,
          evidenceOf(elsewhere, input),
        )
      : graded(
          "wrong_mode",
          `such lines are known ${placeOf(elsewhere.section)} only`,
          evidenceOf(elsewhere, input),
        );
  const meant = near(seen);
  return graded(
    "unknown",
    meant === undefined ? "nothing is known of such a line" : `nothing is known of such a line; ${meant}`,
    { from: "none" },
  );
}

function byShape(here: Known, input: GradeInput): Graded {
  const evidence = evidenceOf(here, input);
  if (here.refused > here.accepted && here.there === 0)
    return graded("refused", `such lines were refused ${times(here.refused)}`, evidence);
  if (here.own > 0)
    return graded("seen", `such lines were accepted ${times(here.own)} on this version`, {
      ...evidence,
      accepted: here.own,
    });
  if (here.there > 0)
    return graded(
      "alike",
      `${here.there} such ${here.there === 1 ? "line stands" : "lines stand"} in its configuration`,
      {
        from: "configuration",
        accepted: here.there,
      },
    );
  return graded(
    "alike",
    input.major === undefined
      ? `such lines were accepted ${times(here.accepted)}; the version of this device is not known`
      : `such lines were accepted ${times(here.accepted)} on other versions`,
    evidence,
  );
}

const times = (count: number) => (count === 1 ? "once" : `${count} times`);
const placeOf = (section: string) => (section === "" ? "at the top" : `in "${section}"`);
const isAround = (outer: string, inner: string) =>
  inner !== "" && (outer === "" || inner.startsWith(`${outer} > `));

function evidenceOf({ there, accepted, refused, words, lastAt }: Known, { iso }: GradeInput): LineEvidence {
  if (accepted + refused === 0) return { from: "configuration", accepted: there };
  return {
    ...{ from: "record", accepted, refused, last_at: iso(lastAt) },
    ...(words === undefined ? {} : { words }),
  };
}

/** A shape of values alone says nothing about where it belongs. */
const isTelling = (shape: string) => shape.split(" ").some((word) => !word.startsWith("<"));

interface KnownShapes {
  at(section: string, shape: string): Known | undefined;
  /** The best known one at another place. */
  elsewhere(section: string, shape: string): Known | undefined;
  /** The words of accepted ones that have so many. */
  in(section: string, words: number): readonly (readonly string[])[];
}

function knownShapes({ foreseen, record, major }: GradeInput): KnownShapes {
  const all = new Map<string, Known>();
  const of = (section: string, shape: string): Known => {
    const key = `${section}\n${shape}`;
    const known = all.get(key) ?? {
      ...{ section, shape, there: 0, own: 0, accepted: 0, refused: 0, words: undefined, lastAt: 0 },
    };
    all.set(key, known);
    return known;
  };
  for (const { section, shape, count } of foreseen.there) of(section, shape).there += count;
  for (const { section, shape, versionMajor, accepted, refused, sampleError, lastAt } of record) {
    const known = of(section, shape);
    // One that is refused more often than accepted there was not seen.
    if (major !== undefined && versionMajor === major && accepted >= refused) known.own += accepted;
    known.accepted += accepted;
    known.refused += refused;
    known.words ??= sampleError ?? undefined;
    known.lastAt = Math.max(known.lastAt, lastAt);
  }
  const isGood = ({ there, accepted, refused }: Known) => there > 0 || accepted > refused;
  const good = [...all.values()].filter(isGood).sort((a, b) => b.there + b.accepted - a.there - a.accepted);
  const byShape = Map.groupBy(good, ({ shape }) => shape);
  const bySection = new Map<string, string[][]>();
  const key = (section: string, words: number) => `${words} ${section}`;
  for (const { section, shape } of good) {
    const words = shape.split(" ");
    const alike = bySection.get(key(section, words.length)) ?? [];
    alike.push(words);
    bySection.set(key(section, words.length), alike);
  }
  return {
    at: (section, shape) => all.get(`${section}\n${shape}`),
    elsewhere: (section, shape) => byShape.get(shape)?.find((known) => known.section !== section),
    in: (section, words) => bySection.get(key(section, words)) ?? [],
  };
}

const mistyped = "perhaps mistyped: ";

/** Of a shape that nobody knows: the known one that differs by one word, which looks like a mistake of typing. */
function nearFinder(known: KnownShapes) {
  let looked = 0;
  return ({ section, shape, words }: ForeseenLine): string | undefined => {
    if (looked >= mostNear) return undefined;
    looked++;
    const own = shape.split(" ");
    for (const candidate of known.in(section, own.length)) {
      const at = onlyDifference(own, candidate);
      if (at === undefined) continue;
      const wanted = candidate[at] ?? "";
      const word = words[at] ?? "";
      if (wanted.startsWith("<")) {
        if (own[at] === "<word>" && wanted !== "<word>" && wanted !== "<text>")
          return `${mistyped}word ${at + 1} is elsewhere ${kindNames[wanted] ?? "a value"}`;
      } else if (
        word !== "" &&
        !wanted.startsWith(word) &&
        edits(word, wanted) <= (wanted.length > 4 ? 2 : 1)
      )
        return `${mistyped}"${wanted}" is known there`;
    }
    return undefined;
  };
}

const kindNames: Readonly<Partial<Record<string, string>>> = {
  "<ip>": "an address",
  "<ip6>": "an IPv6 address",
  "<prefix>": "a network",
  "<prefix6>": "an IPv6 network",
  "<n>": "a number",
  "<n:n>": "two numbers with a colon",
  "<interface>": "an interface",
  "<mac>": "a MAC address",
};

/** Of as many words. */
function onlyDifference(own: readonly string[], other: readonly string[]): number | undefined {
  let found: number | undefined;
  for (const [at, word] of own.entries()) {
    if (word === other[at]) continue;
    if (found !== undefined) return undefined;
    found = at;
  }
  return found;
}
