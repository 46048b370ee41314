/** The grade of each line, and from where it is known. A line is never better than its evidence. */
import type { Grade, LineEvidence, RehearsedLine } from "../api/rehearsal/rehearsal.ts";
import { edits } from "../base/text/near-names.ts";
import type { Foreseen, ForeseenLine } from "../configlines/foresee.ts";
import { keywords } from "../configlines/keywords.ts";
import type { StoredEvidence } from "../store/port.ts";

/** What the device itself said of the lines. */
export interface NativeCheck {
  /** Its words about a line that it refused, by the number of the line. */
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
  const out = foreseen.lines.find((seen) => isOut(seen, lines[seen.line - 1]?.trim() ?? ""))?.line;
  const leaving = createLeaving();
  return foreseen.lines.map((seen) => {
    const text = lines[seen.line - 1] ?? "";
    const lockout = cut.get(seen.line);
    const byRules = (): Graded => {
      if (out !== undefined && seen.line > out)
        return leaving.isDoubted(out)
          ? graded("unknown", `line ${out} has perhaps left the configuration`, { from: "none" })
          : graded("wrong_mode", `line ${out} has left the configuration`, { from: "rules" });
      const left = leaving.leftBefore(seen, text.trim());
      if (left !== undefined)
        return graded("wrong_mode", `line ${left} has left its section`, { from: "rules" });
      if (leaving.leavesOther(seen, text.trim()))
        return graded("unknown", "it leaves the section of a line before it, if that is still open", {
          from: "none",
        });
      const said = byKnowledge(seen, text.trim(), last, known, nears, input);
      const isPlaced = said.grade === "wrong_mode" || said.grade === "leaves_mode";
      if (leaving.isLost() && (isPlaced || (said.grade === "refused" && said.evidence.from === "rules")))
        return graded("unknown", `where it stands is not known; ${said.why}`, said.evidence);
      return said.grade === "wrong_mode" && seen.effect !== "leaves" && leaving.isBelowUnknown(text)
        ? graded("unknown", `what it stands in is not known; ${said.why}`, said.evidence)
        : said;
    };
    const all =
      lockout === undefined
        ? ((native && byDevice(seen, native)) ?? byRules())
        : graded("locks_out", `it locks us out: ${shows ? lockout : "it cuts the way that we come by"}`, {
            from: "session",
          });
    leaving.look(seen, text, all);
    return { line: seen.line, text, ...all };
  });
}

/**
 * Where lines stand, as far as those before them leave no doubt: the word that leaves a section is refused where one has
 * left that, and below a line of which nothing is known no place is.
 */
function createLeaving() {
  let left: { readonly line: number; readonly path: string } | undefined;
  let doubted = Number.POSITIVE_INFINITY;
  /** Words of sections that lines have begun and no line has ended: a system that counts no indentation stands in them. */
  const begun = new Set<string>();
  let lost = false;
  const above: { readonly indent: number; readonly isUnknown: boolean }[] = [];
  const keyOf = (path: readonly string[]) => path.join("\n");
  return {
    leftBefore({ effect, path }: ForeseenLine, text: string): number | undefined {
      const isOwn = left !== undefined && left.path === keyOf(path);
      return isOwn && effect === "leaves" && leavesOwn.test(text) ? left?.line : undefined;
    },
    isLost: () => lost,
    leavesOther({ path }: ForeseenLine, text: string): boolean {
      const owner = leavesOwn.exec(text)?.[1];
      return owner !== undefined && begun.has(owner) && !hasWord(path, owner);
    },
    /** A line before that one stands perhaps elsewhere than foretold, and so does what follows. */
    isDoubted: (line: number) => doubted < line,
    isBelowUnknown: (text: string) =>
      above.findLast(({ indent }) => indent < indentOf(text))?.isUnknown === true,
    look({ line, path, effect }: ForeseenLine, text: string, { grade }: Graded): void {
      if (grade === "leaves_mode" || grade === "wrong_mode") doubted = Math.min(doubted, line);
      const indent = indentOf(text);
      const owner = leavesOwn.exec(text.trim())?.[1];
      if (owner !== undefined) {
        if (begun.delete(owner) && grade === "unknown") lost = true;
      } else if (effect !== "leaves") {
        if (indent === 0) lost = false;
        begun.add(text.trim().split(" ")[0] ?? "");
      }
      if (lost) doubted = Math.min(doubted, line);
      while ((above.at(-1)?.indent ?? -1) >= indent) above.pop();
      above.push({ indent, isUnknown: grade === "unknown" });
      if (grade === "leaves_mode" && effect !== "leaves") left = { line, path: keyOf(path) };
      // What is known in the section enters nothing: only another section, or its end, does.
      else if (left !== undefined && left.path !== keyOf(path)) left = undefined;
    },
  };
}

const hasWord = (path: readonly string[], word: string) =>
  path.some((header) => header.split(" ").includes(word));
const indentOf = (text: string) => text.length - text.trimStart().length;

/** Of one kind of section only. */
const leavesOwn = /^exit-(address-family|vrf|vni|peer-policy|peer-session)$/;

/** Says whether a line leaves the configuration. */
const isOut = ({ effect, path }: ForeseenLine, text: string) =>
  effect === "leaves" && (leaving.test(text) || path.length === 0);

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
    const owner = leavesOwn.exec(text)?.[1];
    if (owner !== undefined && !hasWord(path, owner))
      return graded("wrong_mode", `it leaves a section "${owner}", and stands in none`, { from: "rules" });
    return isOut(seen, text) && line < last
      ? graded("leaves_mode", "it leaves the configuration, and lines follow", { from: "rules" })
      : graded("alike", "the word that leaves a section", { from: "rules" });
  }
  if (refusal !== undefined)
    return graded(
      "refused",
      {
        missing: `it needs "${refusal.of}", which is not there`,
        second: `${other} has to be removed first`,
        absent: `"${refusal.of}" is not there, and cannot be removed`,
      }[refusal.why],
      { from: "rules" },
    );
  if (input.asks.some((pattern) => pattern.test(text)))
    return graded("asks", "the device asks a question before it takes it", { from: "rules" });
  const here = known.at(section, shape);
  const elsewhere = here === undefined && isTelling(shape) ? known.elsewhere(section, shape) : undefined;
  const isKnown = here === undefined ? elsewhere === undefined && near(seen) === undefined : !isBad(here);
  if (effect === "nothing" && isKnown)
    return graded("no_effect", "it is so already", { from: "configuration", accepted: 1 });
  // That a word was refused says nothing of another one in its place, and that one was accepted not much.
  if (
    here !== undefined &&
    !(/^(?:no )?<word>/.test(shape) && here.accepted <= here.refused && here.there === 0)
  )
    return byShape(here, input);
  if (effect === "removes" && near(seen) === undefined)
    return graded("alike", "what it removes stands in the configuration", {
      from: "configuration",
      accepted: 1,
    });
  // Some systems take lines of an address family in the section around it too, and in another one beside it.
  if (elsewhere !== undefined && section !== "" && isNextTo(section, elsewhere.section))
    return graded(
      "unknown",
      `such lines are known ${placeOf(elsewhere.section)} only`,
      evidenceOf(elsewhere, input),
    );
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

/** Says whether a grade foretells a refusal. */
export function foretellsRefusal({ grade, why }: Pick<RehearsedLine, "grade" | "why">): boolean {
  return grade === "refused" || grade === "wrong_mode" || (grade === "unknown" && why.includes(mistyped));
}

function byShape(here: Known, input: GradeInput): Graded {
  const evidence = evidenceOf(here, input);
  if (isBad(here)) return graded("refused", `such lines were refused ${times(here.refused)}`, evidence);
  if (here.there === 0 && here.accepted <= here.refused)
    return graded(
      "unknown",
      `such lines were refused ${times(here.refused)} and accepted ${times(here.accepted)}: that depends on what else is there`,
      evidence,
    );
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

/** A refusal of the form of a line holds for all that have it; another one for what else was there. */
const isBad = ({ refused, accepted, there, words }: Known) =>
  refused > accepted && there === 0 && (refused - accepted >= oftenRefused || isOfForm(words));
const oftenRefused = 3;
const ofForm =
  /\b(?:unknown|invalid|unrecogni[sz]ed|incomplete|ambiguous|illegal|malformed|bad|unexpected|syntax|parse|not a valid|not supported|unsupported|wrong parameter)\b/i;
/** Without words nothing tells of another reason. */
const isOfForm = (words: string | undefined) => words === undefined || ofForm.test(words);

const times = (count: number) => (count === 0 ? "never" : count === 1 ? "once" : `${count} times`);
const placeOf = (section: string) => (section === "" ? "at the top" : `in "${section}"`);
const isNextTo = (here: string, there: string) => isAround(here, there) || isBeside(here, there);

/** Sections of one kind in the same one: two address families. */
function isBeside(one: string, other: string): boolean {
  const [outer, kind, depth] = placeIn(one);
  const [otherOuter, otherKind] = placeIn(other);
  return depth > 1 && outer === otherOuter && kind === otherKind;
}

function placeIn(section: string): readonly [outer: string, kind: string, depth: number] {
  const names = section.split(" > ");
  const [kind = ""] = (names.at(-1) ?? "").split(" ");
  return [names.slice(0, -1).join(" > "), kind, names.length];
}

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
  /** The words of accepted ones. */
  in(section: string): readonly (readonly string[])[];
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
  for (const { section, shape } of good) {
    const alike = bySection.get(section) ?? [];
    alike.push(shape.split(" "));
    bySection.set(section, alike);
  }
  return {
    at: (section, shape) => all.get(`${section}\n${shape}`),
    elsewhere: (section, shape) => byShape.get(shape)?.find((known) => known.section !== section),
    in: (section) => bySection.get(section) ?? [],
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
    const others = known.in(section);
    const [start = ""] = words;
    if (isNearWord(start, "no") && others.some((other) => isRest(own, other)))
      return `${mistyped}"no" is known there`;
    let [judged, judgedAt] = ["", -1];
    for (const other of others) {
      const at = own.findIndex((word, place) => word !== other[place]);
      const [wanted = "", word = ""] = [other[at], words[at]];
      if (own[at] === "<word>" && !wanted.startsWith("<") && (wanted !== judged || at !== judgedAt)) {
        if (isNearWord(word, wanted)) return `${mistyped}"${wanted}" is known there`;
        [judged, judgedAt] = [wanted, at];
      }
      const kind = kindNames[wanted];
      if (kind === undefined || !isOtherKind(own[at] ?? "", wanted) || !isOnlyDifference(own, other, at))
        continue;
      // Where an interface can stand, a name can.
      if (!others.some((one) => one[at] === "<interface>" && isOnlyDifference(own, one, at)))
        return `${mistyped}word ${at + 1} is elsewhere ${kind}`;
    }
    const [first = ""] = words;
    return own[0] === "<word>" && others.length > 0 && !isBeginning(first)
      ? `${mistyped}no command begins with its first word`
      : undefined;
  };
}

/** What follows the first word is a line, or is removed by one. */
function isRest([, ...rest]: readonly string[], other: readonly string[]): boolean {
  const line = other[0] === "no" ? other.slice(1) : other;
  return rest.length > 0 && rest.length === line.length && rest.every((word, at) => word === line[at]);
}

/** An interface has another name on each system, and a name can be a number. */
function isOtherKind(own: string, wanted: string): boolean {
  if (own === "<word>" || own === "<port>") return true;
  return wanted === "<prefix>" ? own === "<ip>" : wanted === "<ip>" && own === "<prefix>";
}

/** A word that is cut short is an abbreviation. */
function isNearWord(word: string, wanted: string): boolean {
  if (word === "" || wanted.startsWith(word) || Math.abs(word.length - wanted.length) > 2) return false;
  return edits(word, wanted) <= (wanted.length > 4 ? 2 : 1) || isSwapped(word, wanted);
}

function isSwapped(word: string, wanted: string): boolean {
  const at = [...word].findIndex((letter, place) => letter !== wanted.charAt(place));
  const swapped = word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
  return at >= 0 && swapped === wanted;
}

const isBeginning = (word: string) => [...keywords].some((keyword) => keyword.startsWith(word));

const kindNames: Readonly<Partial<Record<string, string>>> = {
  "<ip>": "an address",
  "<ip6>": "an IPv6 address",
  "<prefix>": "a network",
  "<prefix6>": "an IPv6 network",
  "<n>": "a number",
  "<n:n>": "two numbers with a colon",
  "<mac>": "a MAC address",
};

const isOnlyDifference = (own: readonly string[], other: readonly string[], at: number) =>
  own.length === other.length && own.every((word, place) => place === at || word === other[place]);
