/** A source that is read piece by piece, each once its gate is open. */
import { onAbort } from "../base/time/deadline.ts";
import type { Source } from "./output-shares.ts";

export interface Gate extends Source {
  /** Resolves once nobody holds it, or when the signal aborts; undefined: now. */
  passed(signal: AbortSignal): Promise<void> | undefined;
  /** Milliseconds for which it was held, in all. */
  heldMs(): number;
}

export function createGate(): Gate {
  let opening: PromiseWithResolvers<void> | undefined;
  let since = 0;
  let beforeMs = 0;
  return {
    hold() {
      opening ??= Promise.withResolvers<void>();
      const held = opening;
      since = performance.now();
      return () => {
        if (opening !== held) return;
        opening = undefined;
        beforeMs += performance.now() - since;
        held.resolve();
      };
    },
    passed(signal) {
      if (opening === undefined) return undefined;
      const { promise } = opening;
      return new Promise<void>((go) => {
        const unlisten = onAbort(signal, () => go());
        void promise.then(() => {
          unlisten();
          go();
        });
      });
    },
    heldMs: () => beforeMs + (opening === undefined ? 0 : performance.now() - since),
  };
}
