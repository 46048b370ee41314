/** What lines would do: their effect one by one, their shapes, what would be left of a configuration, and the way back. */
import { apply, type Effect, type Refusal, type TakenLine } from "../configtree/apply.ts";
import { remediate } from "../configtree/remediate.ts";
import type { TreeRules } from "../configtree/rules.ts";
import { type ConfigNode, parseTree } from "../configtree/tree.ts";
import { type AccessWords, type Lockout, lockouts, type SessionFacts } from "./lockout.ts";
import { sectionOf, shapeOf } from "./shape.ts";

export interface ForeseenLine {
  /** Number of the line, from 1; of a text the first of them. */
  readonly line: number;
  readonly effect: Effect;
  /** First lines of the sections that it stands in. */
  readonly path: readonly string[];
  /** The keywords of its sections as the lines alone tell them, and its shape: its place in the record. */
  readonly section: string;
  readonly shape: string;
  readonly words: readonly string[];
  readonly refusal?: Refusal;
  /** What it says of each entry of a menu. */
  readonly meant?: readonly string[];
}

/** A shape that stands in the configuration, and how often. */
export interface ShapeThere {
  readonly section: string;
  readonly shape: string;
  readonly count: number;
}

export interface Foreseen {
  readonly lines: readonly ForeseenLine[];
  /** In the sections of the lines, and elsewhere those of the lines. */
  readonly there: readonly ShapeThere[];
  readonly lockouts: readonly Lockout[];
  /** Undefined without a configuration. */
  readonly predicted: string | undefined;
  readonly reverse: readonly string[];
  /** The reverse lines leave what is there now; undefined without a configuration. */
  readonly isProven: boolean | undefined;
}

export interface ForeseeOptions {
  /** What the device has; undefined: not known. */
  readonly configuration: string | undefined;
  readonly lines: readonly string[];
  readonly rules: TreeRules;
  /** How we come to the device, and the words by which its system says who may; undefined: it is not looked at. */
  readonly session?: SessionFacts | undefined;
  readonly access?: AccessWords | undefined;
}

const mostThere = 5_000;

/** Takes time linear in the length of the texts. */
export function foresee({ configuration, lines, rules, session, access }: ForeseeOptions): Foreseen {
  const before = configuration ?? "";
  const foretold = apply(before, lines, rules);
  const places = new Map(placesOf(lines, rules).map((place) => [place.line, place]));
  const seen = foretold.lines.map(({ line, ...told }): ForeseenLine => {
    const { section = "", shape = "", words = [] } = places.get(line) ?? {};
    return { line, ...(configuration === undefined ? doubted(told) : told), section, shape, words };
  });
  const lost = access && session ? lockouts(before, seen, lines, rules, access, session) : [];
  if (configuration === undefined || rules.negate === undefined)
    return {
      ...{ lines: seen, there: [], lockouts: lost },
      ...{ predicted: undefined, reverse: [], isProven: undefined },
    };
  // Refused lines leave nothing.
  const refused = new Set(seen.flatMap(({ line, refusal }) => (refusal ? [line - 1] : [])));
  const taken = refused.size === 0 ? lines : lines.filter((_, at) => !refused.has(at));
  const predicted = refused.size === 0 ? foretold.text : apply(before, taken, rules).text;
  const reverse = remediate(predicted, before, rules).lines;
  const back = apply(
    predicted,
    reverse.flatMap((line) => line.split("\n")),
    rules,
  ).text;
  const isProven = isEqual(back, before, rules);
  return {
    lines: seen,
    there: shapesThere(before, seen, rules),
    lockouts: lost,
    predicted,
    reverse,
    isProven,
  };
}

/** Without a configuration nobody knows what is there, nor what is not. */
function doubted({ effect, refusal, ...told }: TakenLine): TakenLine {
  return {
    ...told,
    effect: effect === "nothing" || effect === "removes" ? "unclear" : effect,
    ...(refusal?.why === "second" ? { refusal } : {}),
  };
}

/** By what they mean. */
export function isEqual(one: string, other: string, rules: TreeRules): boolean {
  return remediate(one, other, rules).lines.length === 0 && remediate(other, one, rules).lines.length === 0;
}

/** A line and its place in the record: what the lines alone say of their sections. */
export interface PlacedLine {
  readonly line: number;
  readonly section: string;
  readonly shape: string;
  readonly words: readonly string[];
}

export function placesOf(lines: readonly string[], rules: TreeRules): PlacedLine[] {
  return apply("", lines, rules).lines.map(({ line, path }) => ({
    ...{ line, section: sectionOf(path) },
    ...shapeOf((lines[line - 1] ?? "").trim()),
  }));
}

function shapesThere(text: string, lines: readonly ForeseenLine[], rules: TreeRules): ShapeThere[] {
  const sections = new Set(lines.map(({ section }) => section));
  const shapes = new Set(lines.flatMap(({ shape }) => [shape, shape.replace(/^\S+ /, "")]));
  const counts = new Map<string, { section: string; shape: string; count: number }>();
  const known = new Map<string, string>();
  const walk = (nodes: readonly ConfigNode[], path: readonly string[], section: string): void => {
    for (const { isNote, lines: own, children } of nodes) {
      if (isNote) continue;
      const line = (own[0] ?? "").trim();
      let shape = known.get(line);
      if (shape === undefined) {
        shape = shapeOf(line).shape;
        known.set(line, shape);
      }
      if (sections.has(section) || shapes.has(shape)) {
        const key = `${section}\n${shape}`;
        const there = counts.get(key);
        if (there !== undefined) there.count++;
        else if (counts.size < mostThere) counts.set(key, { section, shape, count: 1 });
      }
      if (children.length === 0) continue;
      const below = [...path, line];
      walk(children, below, sectionOf(below));
    }
  };
  walk(parseTree(text, rules), [], "");
  return [...counts.values()];
}
