/** A virtualized list: only visible rows are in the DOM; more rows are fetched ahead. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { resume } from "../../reading/scrolled.ts";

interface LongListProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly row: (row: T) => ComponentChildren;
  /** Called near the end of the list. */
  readonly onEnd: () => void;
  /** Called for Enter on the selected row. */
  readonly onOpen: (row: T) => void;
}

/** Rows rendered above and below the visible ones. */
const spare = 12;
/** Pixels, as the style has them: a card on a phone, a line for a thumb on a tablet, or a line. */
const rowHeights = [
  ["(width < 44rem)", 68],
  ["(width <= 48rem)", 44],
  ["all", 30],
] as const;
/** Key presses that are kept until there are rows. */
const maxEarly = 32;

export function LongList<T>({ label, rows, keyOf, row, onEnd, onOpen }: LongListProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  /** Key of the selected row, which stays selected when others come before it. */
  const [chosen, setChosen] = useState<string>();
  /** The same for key presses that arrive before the next render. */
  const chosenNow = useRef(chosen);
  /** What was pressed before the first rows were there. */
  const early = useRef<string[]>([]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const rowHeight = rowHeights.find(([media]) => matchMedia(media).matches)?.[1] ?? 0;
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + spare);
  useEffect(() => {
    if (last >= rows.length - spare) onEnd();
  }, [last, rows.length]);
  const indexOf = (key: string | undefined) => rows.findIndex((one) => keyOf(one) === key);
  const at = useMemo(() => indexOf(chosen), [rows, chosen]);
  const reach = (index: number) => {
    const next = Math.min(Math.max(index, 0), rows.length - 1);
    const reached = rows[next];
    if (reached === undefined) return;
    chosenNow.current = keyOf(reached);
    setChosen(chosenNow.current);
    const element = box.current;
    if (!element) return;
    if (next * rowHeight < element.scrollTop) element.scrollTop = next * rowHeight;
    const below = (next + 1) * rowHeight - element.clientHeight;
    if (below > element.scrollTop) element.scrollTop = below;
  };
  const page = Math.max(1, Math.floor(height / rowHeight) - 1);
  const by = (step: number) => () => reach(indexOf(chosenNow.current) + step);
  const actions: Readonly<Record<string, () => void>> = {
    ...{ ArrowDown: by(1), j: by(1), ArrowUp: by(-1), k: by(-1), PageDown: by(page), PageUp: by(-page) },
    Home: () => reach(0),
    End: () => reach(rows.length - 1),
    Enter: () => {
      const reached = rows[indexOf(chosenNow.current)];
      if (reached !== undefined) onOpen(reached);
    },
  };
  useLayoutEffect(resume, [rows.length]);
  const isEmpty = rows.length === 0;
  useLayoutEffect(() => {
    if (!isEmpty) for (const key of early.current.splice(0)) actions[key]?.();
  }, [isEmpty]);
  const onKeyDown = (event: KeyboardEvent) => {
    const act = actions[event.key];
    if (act === undefined) return;
    event.preventDefault();
    if (!isEmpty) act();
    else if (early.current.length < maxEarly) early.current.push(event.key);
  };
  return (
    <div
      ref={box}
      class="long-list"
      role="listbox"
      aria-label={label}
      aria-activedescendant={at >= 0 ? `row-${at}` : undefined}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
      onBlur={() => early.current.splice(0)}
    >
      <div style={{ height: `${rows.length * rowHeight}px` }} role="presentation">
        <div style={{ transform: `translateY(${first * rowHeight}px)` }} role="presentation">
          {rows.slice(first, last).map((item, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
            <div
              key={keyOf(item)}
              id={`row-${first + index}`}
              class="row"
              role="option"
              aria-selected={first + index === at}
              tabIndex={-1}
              style={{ height: `${rowHeight}px` }}
              onClick={() => onOpen(item)}
            >
              {row(item)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
