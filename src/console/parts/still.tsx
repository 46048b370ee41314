/** Stays as it is while the pointer moves over it: what one is about to press is not gone by then. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

/** From the last move of the pointer to what has come meanwhile. */
const restMs = 1_000;

export function Still({ children }: { children: ComponentChildren }) {
  const [held, setHeld] = useState(false);
  const shown = useRef(children);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  if (!held) shown.current = children;
  const hold = () => {
    setHeld(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setHeld(false), restMs);
  };
  return <div onPointerMove={hold}>{shown.current}</div>;
}
