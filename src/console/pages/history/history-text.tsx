/** The text of a version with line numbers: search in it, a line by its address, who wrote each line, copy, download. */

import { useEffect, useMemo, useRef } from "preact/hooks";
import { Copy } from "../../parts/copy.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Save } from "../../parts/save.tsx";
import { ask } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { place, refine, to } from "../../route.ts";
import { type Blame, blame, historyPath, oneText, personOf } from "../../shapes/history.ts";
import { counted } from "../../text/counted.ts";
import { text } from "../../text/text.ts";

/** Lines in the page at once; those around the chosen one. */
const linesAtOnce = 2_000;

interface TextProps {
  readonly name: string;
  readonly part: string;
  readonly number: string;
}

export function ConfigurationText({ name, part, number }: TextProps) {
  const isBlamed = place.value.query.has("blame");
  const path = `${historyPath(name, number)}?part=${part}`;
  const { data, error } = useLoad((signal) => ask(oneText, path, { signal }), [path]);
  const blamePath = `${historyPath(name, "blame")}?${new URLSearchParams({ part, version: number })}`;
  const blamed = useLoad(
    async (signal) => (isBlamed ? ask(blame, blamePath, { signal }) : undefined),
    [isBlamed, blamePath],
  );
  if (data === undefined) return error ? <Problem error={error} /> : <p class="empty">{text.loading}</p>;
  return (
    <section aria-label={text.history.text}>
      <h2>
        {text.history.text} {data.version} <Copy value={data.text} label={text.history.text} />{" "}
        <Save
          name={`${name}-${part}-${data.version}.cfg`}
          type="text/plain"
          label={text.history.save}
          make={() => data.text}
        />{" "}
        <button
          type="button"
          class="quiet"
          aria-pressed={isBlamed}
          onClick={() => refine({ blame: isBlamed ? undefined : "yes" })}
        >
          {text.history.blame}
        </button>
      </h2>
      {data.state === "suspect" && (
        <p class="problem">
          {data.state}: {data.reason}
        </p>
      )}
      <Problem error={blamed.error} />
      <Lines of={data.text} blame={isBlamed ? blamed.data : undefined} part={part} />
    </section>
  );
}

function Lines({ of, blame: given, part }: { of: string; blame: Blame | undefined; part: string }) {
  const { query } = place.value;
  const wanted = query.get("find") ?? "";
  const line = Number(query.get("line") ?? 0);
  const lines = useMemo(() => linesOf(of), [of]);
  const origins = useMemo(() => given && originsOf(given), [given]);
  const found = useMemo(() => linesWith(lines, wanted), [lines, wanted]);
  const box = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const chosen = box.current?.querySelector<HTMLElement>(".chosen");
    // Not the whole page with it.
    if (box.current && chosen) box.current.scrollTop = chosen.offsetTop - box.current.clientHeight / 2;
  }, [line, lines]);
  const step = (by: 1 | -1) => {
    const next =
      by === 1
        ? (found.find((at) => at > line) ?? found[0])
        : (found.findLast((at) => at < line) ?? found.at(-1));
    if (next !== undefined) refine({ line: String(next) });
  };
  const first = Math.max(0, Math.min(line - linesAtOnce / 2, lines.length - linesAtOnce));
  const shown = lines.slice(first, first + linesAtOnce);
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          step(1);
        }}
      >
        <input
          type="search"
          aria-label={text.history.find}
          placeholder={text.history.findShort}
          value={wanted}
          onInput={(event) => refine({ find: event.currentTarget.value })}
        />
        <button type="submit" class="quiet" disabled={found.length === 0}>
          {text.history.next}
        </button>
        <button type="button" class="quiet" disabled={found.length === 0} onClick={() => step(-1)}>
          {text.history.previous}
        </button>
        <span role="status">{wanted !== "" && counted(found.length, "line")}</span>
      </form>
      {first > 0 && <Further at={first} label={text.history.linesBefore} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <ol class="configuration-text" ref={box} tabIndex={0} aria-label={text.history.text}>
        {shown.map((content, at) => {
          const number = first + at + 1;
          return (
            <li key={number} class={number === line ? "chosen" : undefined}>
              {origins && (
                <span class="margin">
                  {(at === 0 || origins[number - 1] !== origins[number - 2]) && (
                    <Origin of={origins[number - 1]} part={part} />
                  )}
                </span>
              )}
              <a
                class="line-number"
                href={to(place.value.steps, { ...Object.fromEntries(query), line: String(number) })}
              >
                {number}
              </a>
              <code>{content}</code>
            </li>
          );
        })}
      </ol>
      {first + linesAtOnce < lines.length && (
        <Further at={first + linesAtOnce + linesAtOnce / 2} label={text.history.linesAfter} />
      )}
    </>
  );
}

function Further({ at, label }: { at: number; label: string }) {
  return (
    <button type="button" class="quiet" onClick={() => refine({ line: String(at) })}>
      {label}
    </button>
  );
}

function Origin({ of, part }: { of: Blame["versions"][number] | undefined; part: string }) {
  if (of === undefined) return null;
  const person = personOf(of);
  return (
    <a href={to(["history", of.device], { part, version: String(of.version) })} title={of.taken_at}>
      {of.version} {of.taken_at.slice(0, 10)} {person}
    </a>
  );
}

/** The version that brought each line, from the first. */
function originsOf({ runs, versions }: Blame): (Blame["versions"][number] | undefined)[] {
  const known = new Map(versions.map((one) => [one.version, one]));
  return runs.flatMap(({ version, lines }) => Array.from({ length: lines }, () => known.get(version)));
}

function linesOf(content: string): string[] {
  const lines = content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Numbers of the lines, without regard to upper and lower case. */
function linesWith(lines: readonly string[], wanted: string): number[] {
  const part = wanted.toLowerCase();
  if (part === "") return [];
  return lines.flatMap((line, at) => (line.toLowerCase().includes(part) ? [at + 1] : []));
}
