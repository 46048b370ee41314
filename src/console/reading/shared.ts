/** Values that all views read, such as the session. They change rarely: then the whole page is drawn again. */
import { useLayoutEffect, useState } from "preact/hooks";

export interface Shared<T> {
  value: T;
  /** @param listen called after each change. @returns ends that */
  subscribe(listen: () => void): () => void;
}

/** What draws the page. */
const pages = new Set<() => void>();

/** @param listeners of every change */
export function shared<T>(first: T, listeners = new Set([drawPages])): Shared<T> {
  let value = first;
  return {
    get value() {
      return value;
    },
    set value(next) {
      if (next === value) return;
      value = next;
      for (const listen of listeners) listen();
    },
    subscribe(listen) {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
  };
}

function drawPages(): void {
  for (const draw of pages) draw();
}

/** Draws the component again whenever it is told to. */
function useTold(subscribe: (draw: () => void) => () => void): void {
  const [, setTurn] = useState(0);
  // Nothing may change between the first drawing and this.
  useLayoutEffect(() => subscribe(() => setTurn((turn) => turn + 1)), []);
}

/** For the whole page: it is drawn again when one of the values has changed. */
export function usePage(): void {
  useTold((draw) => {
    pages.add(draw);
    return () => void pages.delete(draw);
  });
}

/** A value that changes often, and that few components read: only they are drawn again. */
export function useShared<T>(of: Shared<T>): T {
  useTold(of.subscribe);
  return of.value;
}
