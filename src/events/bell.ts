/** Wakes a single waiter. Rings before the wait are kept; several rings wake it once. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, or at once if it rang since the last call. */
  rung(): Promise<void>;
}

export function createBell(): Bell {
  let hasRung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      hasRung = true;
      wake?.();
    },
    async rung() {
      if (!hasRung) await new Promise<void>((resolve) => (wake = resolve));
      wake = undefined;
      hasRung = false;
    },
  };
}
