/** Comparisons as plain data, which may be computed in another process, with bounded answers. */

import { type Foreseen, foresee, isEqual } from "../configlines/foresee.ts";
import type { SessionFacts } from "../configlines/lockout.ts";
import { compareTrees, type TreeChange } from "../configtree/compare.ts";
import { type Remediation, remediate } from "../configtree/remediate.ts";
import { createBlame } from "./blame.ts";
import { makeDelta } from "./delta.ts";
import { type CompareOptions, countChanges, type LineCounts, unified } from "./diff.ts";
import { effectOfLines, type LinesEffect } from "./effect.ts";
import { filesScript } from "./files.ts";
import {
  accessOf,
  matchesAny,
  type PlainAccess,
  type PlainMode,
  type PlainRules,
  rulesOf,
  type TextRules,
  treeRules,
  twinModes,
} from "./rules.ts";
import { type SidePart, sideBySide } from "./side.ts";
import { proofOf, type TwinProof } from "./twin-proof.ts";

interface TwoTexts {
  readonly a: string;
  readonly b: string;
  readonly rules: PlainRules;
}

export interface WantedUnified extends TwoTexts {
  readonly form: "unified";
  /** Names of the texts. */
  readonly from: string;
  readonly to: string;
  /** Equal lines around a change; default 3. */
  readonly context?: number | undefined;
}

export interface WantedSide extends TwoTexts {
  readonly form: "side";
  readonly context?: number | undefined;
}

export interface WantedStructured extends TwoTexts {
  readonly form: "structured";
}

export interface WantedBlame {
  readonly form: "blame";
  /** Versions from the oldest to the newest. */
  readonly texts: readonly string[];
}

/** Lines that turn `a` into `b`. */
export interface WantedRestore extends TwoTexts {
  readonly form: "restore";
  readonly negate: string;
}

/** A script that gives a server the files of one text in place of those of another. */
export interface WantedFiles {
  readonly form: "files";
  readonly from: string;
  readonly to: string;
}

/** What the lines `b` would change in the configuration `a`. */
export interface WantedEffect extends TwoTexts {
  readonly form: "effect";
  readonly negate: string;
}

/** What the lines `b` would do to the configuration `a`, and to us; without `isKnown`, whatever it is. */
export interface WantedForesight extends TwoTexts {
  readonly form: "foresee";
  readonly isKnown: boolean;
  readonly session?: SessionFacts | undefined;
  readonly access?: PlainAccess | undefined;
  /** Lines that open sections, for a twin. */
  readonly modes?: readonly PlainMode[] | undefined;
}

export interface Foretelling extends Foreseen {
  /** As of an effect: of the lines that are not refused. */
  readonly difference: string | undefined;
  /** Undefined without a configuration, and of one that is too long. */
  readonly twin: TwinProof | undefined;
}

/** How a new version differs from the one before, and how it is stored. */
export interface WantedStored {
  readonly form: "stored";
  readonly text: string;
  readonly before: string;
  /** A whole text that it may be stored as a delta against. */
  readonly base?: string | undefined;
}

export type WantedComparison =
  | WantedStored
  | WantedUnified
  | WantedSide
  | WantedStructured
  | WantedBlame
  | WantedRestore
  | WantedFiles
  | WantedEffect
  | WantedForesight;

export type Comparison =
  /** `delta`: absent if the text is better stored whole. */
  | ({ readonly form: "stored"; readonly delta?: string } & LineCounts)
  | { readonly form: "unified"; readonly text: string }
  | { readonly form: "side"; readonly parts: readonly SidePart[]; readonly isCut: boolean }
  | { readonly form: "structured"; readonly changes: readonly TreeChange[]; readonly isCut: boolean }
  | ({ readonly form: "restore" } & Remediation)
  /** Without `script`: one of the texts is none of files. */
  | { readonly form: "files"; readonly script?: Remediation }
  | ({ readonly form: "effect" } & LinesEffect)
  | ({ readonly form: "foresee" } & Foretelling)
  /** Lines of the newest version in order: `lines` of them come from this version, by its index. */
  | { readonly form: "blame"; readonly runs: readonly BlameRun[] };

export interface BlameRun {
  readonly version: number;
  readonly lines: number;
}

/** Rows and changed lines that are answered; the unified form has all. */
export const maxComparedRows = 20_000;

/** The texts that are compared. */
export function textsIn(wanted: WantedComparison): readonly string[] {
  if (wanted.form === "blame") return wanted.texts;
  if (wanted.form === "stored") return [wanted.text, wanted.before, wanted.base ?? ""];
  if (wanted.form === "files") return [wanted.from, wanted.to];
  return [wanted.a, wanted.b];
}

export function compareTexts(wanted: WantedComparison): Comparison {
  if (wanted.form === "blame") return { form: "blame", runs: blameRuns(wanted.texts) };
  if (wanted.form === "stored") {
    const delta = wanted.base === undefined ? undefined : makeDelta(wanted.base, wanted.text);
    return {
      ...{ form: "stored", ...countChanges(wanted.before, wanted.text) },
      ...(delta === undefined ? {} : { delta }),
    };
  }
  if (wanted.form === "files") {
    const script = filesScript(wanted.from, wanted.to);
    return { form: "files", ...(script === undefined ? {} : { script }) };
  }
  const { a, b } = wanted;
  const rules = rulesOf(wanted.rules);
  if (wanted.form === "structured")
    return { form: "structured", ...firstChanges(compareTrees(a, b, treeRules(rules))) };
  if (wanted.form === "restore")
    return { form: "restore", ...remediate(a, b, { ...treeRules(rules), negate: wanted.negate }) };
  if (wanted.form === "effect")
    return { form: "effect", ...effectOfLines(a, b, { ...rules, negate: wanted.negate }) };
  if (wanted.form === "foresee") {
    const { isKnown, session, access, modes } = wanted;
    const lines = b.split("\n");
    const tree = treeRules(rules);
    const foreseen = foresee({
      ...{ configuration: isKnown ? a : undefined, lines, rules: tree, session },
      access: access && accessOf(access),
    });
    const { predicted } = foreseen;
    const difference = predicted && differenceOf(a, lines, foreseen, rules);
    const twin =
      predicted === undefined
        ? undefined
        : proofOf({
            ...{ now: a, lines, rules: tree, modes: modes && twinModes(modes) },
            isWanted: (left) => isEqual(left, predicted, tree),
          });
    return { form: "foresee", difference, twin, ...foreseen };
  }
  const { context } = wanted;
  const options: CompareOptions = {
    ignore: matchesAny(rules.ignore),
    ...(context === undefined ? {} : { context }),
  };
  if (wanted.form === "side") return { form: "side", ...firstRows(sideBySide(a, b, options)) };
  return { form: "unified", text: unified(a, b, { ...options, from: wanted.from, to: wanted.to }) };
}

function differenceOf(
  configuration: string,
  lines: readonly string[],
  { lines: foreseen }: Foreseen,
  rules: TextRules,
): string {
  const refused = new Set(foreseen.flatMap(({ line, refusal }) => (refusal ? [line - 1] : [])));
  const taken = lines.filter((_, at) => !refused.has(at)).join("\n");
  return effectOfLines(configuration, taken, { ...rules, negate: rules.negate ?? "no" }).text;
}

function blameRuns(texts: readonly string[]): BlameRun[] {
  const blame = createBlame<number>();
  for (const [version, text] of texts.entries()) blame.add(text, version);
  const runs: { version: number; lines: number }[] = [];
  for (const { version } of blame.lines()) {
    const run = runs.at(-1);
    if (run?.version === version) run.lines++;
    else runs.push({ version, lines: 1 });
  }
  return runs;
}

function firstRows(parts: readonly SidePart[]): { parts: SidePart[]; isCut: boolean } {
  let room = maxComparedRows;
  const first = parts.flatMap((part) => {
    const rows = part.slice(0, room);
    room -= rows.length;
    return rows.length > 0 ? [rows] : [];
  });
  return { parts: first, isCut: count(first) < count(parts) };
}

function count(parts: readonly SidePart[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function firstChanges(changes: readonly TreeChange[]): { changes: TreeChange[]; isCut: boolean } {
  let room = maxComparedRows;
  let isCut = false;
  const first = (list: readonly TreeChange[]): TreeChange[] => {
    const kept: TreeChange[] = [];
    for (const change of list) {
      if (room === 0) {
        isCut = true;
        break;
      }
      room--;
      kept.push({ ...change, children: first(change.children) });
    }
    return kept;
  };
  return { changes: first(changes), isCut };
}
