/** Wakes one who waits: what rings before it waits is not lost, and rings that come together wake it once. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, or at once where it has rung since the last time. */
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
