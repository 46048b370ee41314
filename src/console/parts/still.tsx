/** Stays as it is while the pointer moves over it: what one is about to press is not gone by then. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** From the last move of the pointer to what has come meanwhile. */
const restMs = 1_000;
/** A pointer may never rest, and what has come is not kept from whoever watches. */
const mostMs = 10_000;

export function Still({ children }: { children: ComponentChildren }) {
  const [held, setHeld] = useState(false);
  const shown = useRef(children);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const until = useRef<number | undefined>(undefined);
  const near = useNearFocus();
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
    <div onPointerMove={hold} onPointerDown={hold} onFocusIn={near}>
      {shown.current}
    </div>
  );
}

/** What had the focus and is gone gives it to what followed it in its list, to what stood before it, or to the heading. */
function useNearFocus() {
  const places = useRef<readonly HTMLElement[]>([]);
  useLayoutEffect(() => {
    const [had, ...others] = places.current;
    if (had?.isConnected === false && document.activeElement === document.body)
      others.find((one) => one.isConnected)?.focus({ preventScroll: true });
  });
  return ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return;
    const part = target.closest("section:has(> h2)");
    const all = [...(part?.querySelectorAll<HTMLElement>("a") ?? [])];
    const heading = part?.querySelector("h2");
    if (heading) heading.tabIndex = -1;
    const at = all.indexOf(target);
    places.current = [
      target,
      ...all.slice(at + 1),
      ...all.slice(0, at).reverse(),
      ...(heading ? [heading] : []),
    ];
  };
}
