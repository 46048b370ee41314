/** What a device said: searched, wrapped, with line numbers, and folded away. */
import { useMemo, useRef, useState } from "preact/hooks";
import { text } from "../text/text.ts";

/** Shorter outputs are seen whole. */
const toolsFrom = 12;
/** Marks in the page at once: a letter may be in a megabyte of text at every place. */
const mostMarks = 2_000;

const words = text.output;

export function OutputText({ of, label }: { readonly of: string; readonly label: string }) {
  const lines = useMemo(() => of.split("\n").length, [of]);
  const [wanted, setWanted] = useState("");
  const [at, setAt] = useState(0);
  const [wrapped, setWrapped] = useState(false);
  const [numbered, setNumbered] = useState(false);
  const box = useRef<HTMLElement>(null);
  const pieces = useMemo(() => piecesOf(of, wanted), [of, wanted]);
  const found = (pieces.length - 1) / 2;
  const step = (by: number) => {
    if (found === 0) return;
    const next = (at + by + found) % found;
    setAt(next);
    box.current?.querySelectorAll("mark")[next]?.scrollIntoView({ block: "center", inline: "nearest" });
  };
  return (
    <>
      {lines >= toolsFrom && (
        <form
          class="filters"
          aria-label={words.tools(label)}
          onSubmit={(event) => {
            event.preventDefault();
            step(wanted === "" ? 0 : 1);
          }}
        >
          <input
            type="search"
            aria-label={words.find(label)}
            placeholder={text.history.findShort}
            value={wanted}
            onInput={(event) => {
              setWanted(event.currentTarget.value);
              setAt(-1);
            }}
          />
          {wanted !== "" && (
            <>
              <button type="submit" class="quiet" disabled={found === 0}>
                {text.history.next}
              </button>
              <button type="button" class="quiet" disabled={found === 0} onClick={() => step(-1)}>
                {text.history.previous}
              </button>
            </>
          )}
          <span role="status">{wanted !== "" && words.found(found, found >= mostMarks)}</span>
          <label class="choice">
            <input type="checkbox" checked={wrapped} onChange={() => setWrapped(!wrapped)} /> {words.wrap}
          </label>
          <label class="choice">
            <input type="checkbox" checked={numbered} onChange={() => setNumbered(!numbered)} />{" "}
            {words.numbers}
          </label>
        </form>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section class="terminal viewer" ref={box} tabIndex={0} aria-label={words.of(label)}>
        {numbered && !wrapped && (
          <pre class="gutter" aria-hidden="true">
            {Array.from({ length: lines }, (_, n) => n + 1).join("\n")}
          </pre>
        )}
        <pre class={wrapped ? "wrapped" : undefined}>
          {pieces.map((piece, n) =>
            n % 2 === 1 ? (
              <mark key={String(n)} class={(n - 1) / 2 === at ? "chosen" : undefined}>
                {piece}
              </mark>
            ) : (
              piece
            ),
          )}
        </pre>
      </section>
    </>
  );
}

/** The text cut at what is looked for, without regard to upper and lower case: every second piece is a find. */
function piecesOf(of: string, wanted: string): string[] {
  if (wanted === "") return [of];
  const parts = of.split(new RegExp(`(${wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")})`, "iu"));
  const most = 2 * mostMarks + 1;
  return parts.length <= most ? parts : [...parts.slice(0, most - 1), parts.slice(most - 1).join("")];
}
