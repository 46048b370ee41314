/** Lines proven on a twin of a device: taken one by one, as a driver sends them, they leave what is wanted. */
import type { TreeRules } from "../configtree/rules.ts";
import { type PlayedLine, playLines } from "../twin/play.ts";
import type { TwinMode } from "../twin/twin.ts";

export interface TwinProof {
  readonly isProven: boolean;
  /** Lines that were played. */
  readonly lines: number;
  /** The first that was refused. */
  readonly refused: PlayedLine | undefined;
  /** Of which nothing is known: kept as they stand. The first of them, and how many there are. */
  readonly unknown: readonly PlayedLine[];
  readonly unknownLines: number;
}

export const mostUnknown = 20;
/** A longer configuration is not played: it would take too long for others who wait. */
const mostChars = 4 * 1024 * 1024;

interface ProofOptions {
  /** Masked. */
  readonly now: string;
  readonly lines: readonly string[];
  readonly rules: TreeRules;
  /** Absent: the rules say which lines open sections. */
  readonly modes?: readonly TwinMode[] | undefined;
  /** Whether this is what the lines should leave. */
  isWanted(left: string): boolean;
}

/** @returns undefined: it is too long to be played */
export function proofOf({ now, lines, rules, modes, isWanted }: ProofOptions): TwinProof | undefined {
  if (now.length > mostChars) return undefined;
  const places = modes ?? rules.sections?.map((line) => ({ line })) ?? [];
  const played = playLines(now, lines, { rules, modes: places });
  const [refused] = played.refused;
  return {
    isProven: refused === undefined && isWanted(played.left),
    lines: played.lines,
    refused,
    unknown: played.unknown.slice(0, mostUnknown),
    unknownLines: played.unknown.length,
  };
}
