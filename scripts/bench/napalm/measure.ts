/** Statistics of alternating rounds: medians of each contender, the median ratio and its confidence. */

/** One round over all devices. */
export interface Round {
  readonly wall_ms: number;
  /** CPU time of all threads of the process, including compilation and garbage collection after the round. */
  readonly cpu_ms: number;
}

/** A median with its 95 % confidence interval from `from` to `to`. */
export interface Middle {
  readonly middle: number;
  readonly from: number;
  readonly to: number;
}

export function middleOf(values: readonly number[]): Middle {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) =>
    rounded(sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(index)))] ?? 0);
  const centre = (sorted.length - 1) / 2;
  // Binomial ranks: makes no assumption about the distribution.
  const wide = 0.98 * Math.sqrt(sorted.length);
  return { middle: at(centre), from: at(centre - wide), to: at(centre + wide) };
}

const rounded = (value: number) => Math.round(value * 100) / 100;

export function figures(rounds: readonly Round[]): { readonly wall_ms: Middle; readonly cpu_ms: Middle } {
  return {
    wall_ms: middleOf(rounds.map(({ wall_ms }) => wall_ms)),
    cpu_ms: middleOf(rounds.map(({ cpu_ms }) => cpu_ms)),
  };
}

/** Ratios per turn, so that temporary load affects both contenders. */
export function ratios(side: readonly Round[], floor: readonly Round[]) {
  const by = (of: (round: Round) => number) =>
    middleOf(
      side.flatMap((round, turn) => {
        const beside = floor[turn];
        return beside === undefined ? [] : [of(round) / of(beside)];
      }),
    );
  return { wall: by(({ wall_ms }) => wall_ms), cpu: by(({ cpu_ms }) => cpu_ms) };
}

/** Whether more rounds would hardly change it. */
export const isSteady = ({ middle, from, to }: Middle): boolean => to - from < 0.1 * middle;
