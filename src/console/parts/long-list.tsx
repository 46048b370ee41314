/** A virtualized list: only visible rows are in the DOM; more rows are fetched ahead. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface LongListProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly row: (row: T) => ComponentChildren;
  readonly rowHeight: number;
  /** Called near the end of the list. */
  readonly onEnd: () => void;
  /** Called for Enter on the selected row. */
  readonly onOpen: (row: T) => void;
}

/** Rows rendered above and below the visible ones. */
const spare = 12;

export function LongList<T>({ label, rows, keyOf, row, rowHeight, onEnd, onOpen }: LongListProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [at, setAt] = useState(-1);
  /** The same for key presses that arrive before the next render. */
  const selected = useRef(-1);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + spare);
  useEffect(() => {
    if (last >= rows.length - spare) onEnd();
  }, [last, rows.length]);
  const reach = (index: number) => {
    const next = Math.min(Math.max(index, 0), rows.length - 1);
    selected.current = next;
    setAt(next);
    const element = box.current;
    if (!element) return;
    if (next * rowHeight < element.scrollTop) element.scrollTop = next * rowHeight;
    const below = (next + 1) * rowHeight - element.clientHeight;
    if (below > element.scrollTop) element.scrollTop = below;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      PageDown: page,
      PageUp: -page,
    };
    const step = steps[event.key];
    const reached = rows[selected.current];
    if (step !== undefined) reach(selected.current + step);
    else if (event.key === "Home") reach(0);
    else if (event.key === "End") reach(rows.length - 1);
    else if (event.key === "Enter" && reached !== undefined) onOpen(reached);
    else return;
    event.preventDefault();
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
