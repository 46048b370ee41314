/** Stays as it is while the pointer moves over it: what one is about to press is not gone by then. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

/** From the last move of the pointer to what has come meanwhile. */
const restMs = 1_000;
/** A pointer may never rest, and what has come is not kept from whoever watches. */
const mostMs = 10_000;

export function Still({ children }: { children: ComponentChildren }) {
  const [held, setHeld] = useState(false);
  const shown = useRef(children);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const until = useRef<number | undefined>(undefined);
  if (!held) shown.current = children;
  const hold = () => {
    setHeld(true);
    until.current ??= performance.now() + mostMs;
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => {
        until.current = undefined;
        setHeld(false);
      },
      Math.min(restMs, until.current - performance.now()),
    );
  };
  return (
    <div onPointerMove={hold} onPointerDown={hold}>
      {shown.current}
    </div>
  );
}
