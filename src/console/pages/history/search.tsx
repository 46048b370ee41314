/** Search through the configurations of all devices: lines that match, below the lines that they belong to. */

import { useState } from "preact/hooks";
import { More } from "../../parts/lists/more.tsx";
import { Problem } from "../../parts/problem.tsx";
import { withHistory } from "../../parts/without-right.tsx";
import { usePaged } from "../../reading/paged.ts";
import { go, place, to } from "../../route.ts";
import { type Match, match } from "../../shapes/history.ts";
import { counted } from "../../text/counted.ts";
import { text } from "../../text/text.ts";

const fields = ["select", "section"] as const;
const choices = [
  ["regex", "yes"],
  ["scope", "ever"],
  ["case", "yes"],
] as const;

/** Devices that are shown first: all versions, or a rare line, take seconds. */
const early = 5;
/** Lines after which no further device is shown, until more are asked for: a common word stands in thousands. */
const linesAtOnce = 300;
/** Of one device. */
const linesOfDevice = 100;

export const SearchPage = withHistory(text.nav.search, Search);

/** Parameters of `GET /history/search` in the URL; undefined: nothing is searched for yet. */
function queryOfPlace(): string | undefined {
  const { query } = place.value;
  const wanted = query.get("q") ?? "";
  if (wanted === "") return undefined;
  const sent = new URLSearchParams({ [query.get("regex") ? "regex" : "q"]: wanted });
  for (const name of fields) if (query.get(name)) sent.set(name, query.get(name) ?? "");
  if (query.get("scope")) sent.set("scope", "ever");
  if (query.get("case")) sent.set("case_sensitive", "true");
  return sent.toString();
}

function Search() {
  const { query } = place.value;
  const wanted = queryOfPlace();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = new FormData(event.currentTarget);
    const named = ["q", ...fields, ...choices.map(([name]) => name)];
    go(["search"], Object.fromEntries(named.map((name) => [name, String(given.get(name) ?? "").trim()])));
  };
  return (
    <>
      <h1>{text.nav.search}</h1>
      <form onSubmit={submit} key={query.toString()}>
        <p class="filters">
          <input
            name="q"
            class="wide"
            required
            spellcheck={false}
            aria-label={text.history.wanted}
            placeholder={text.history.wantedSample}
            defaultValue={query.get("q") ?? ""}
          />
          <button type="submit">{text.nav.search}</button>
        </p>
        <p class="filters">
          {fields.map((name) => (
            <input
              key={name}
              name={name}
              class="middle"
              spellcheck={false}
              aria-label={text.history.fields[name]}
              placeholder={text.history.fields[name]}
              defaultValue={query.get(name) ?? ""}
            />
          ))}
          {choices.map(([name, value]) => (
            <label key={name} class="choice">
              <input type="checkbox" name={name} value={value} defaultChecked={query.get(name) !== null} />{" "}
              {text.history.choices[name]}
            </label>
          ))}
        </p>
      </form>
      {wanted === undefined && <p class="empty">{text.history.searchAbout}</p>}
      {wanted !== undefined && <Found key={wanted} query={wanted} />}
    </>
  );
}

function Found({ query }: { query: string }) {
  const { rows: matches, error, loading, fetchMore } = usePaged(match, `/history/search?${query}`, [], early);
  const [room, setRoom] = useState(linesAtOnce);
  const { shown, height } = fitting(matches ?? [], room);
  const further = shown.length < (matches?.length ?? 0) ? () => undefined : fetchMore;
  const showMore = () => {
    setRoom(height + linesAtOnce);
    return further?.();
  };
  return (
    <>
      <p role="status">{matches && foundText(matches, fetchMore !== undefined, loading)}</p>
      <Problem error={error} />
      {shown.map(({ of, hits }) => (
        <OfDevice key={`${of.version.device} ${of.version.version}`} of={of} hits={hits} />
      ))}
      {loading ? <p class="empty">{text.loading}</p> : <More act={further && showMore} />}
    </>
  );
}

function foundText(matches: readonly Match[], hasMore: boolean, loading: boolean): string {
  const lines = matches.reduce((sum, { total }) => sum + total, 0);
  if (lines === 0 && !hasMore && !loading) return text.history.noMatch;
  return `${counted(lines, "line")} on ${counted(matches.length, "device")}${hasMore ? ", and more" : ""}`;
}

type AnyHit = Match["hits"][number];

interface Hit {
  readonly of: AnyHit;
  /** Lines above it that are not on the screen already. */
  readonly above: AnyHit["parents"];
}

/** The devices that are shown, and how many lines those are. */
function fitting(matches: readonly Match[], room: number) {
  const shown: { readonly of: Match; readonly hits: readonly Hit[] }[] = [];
  let height = 0;
  for (const of of matches) {
    if (height >= room) break;
    const hits = of.hits.slice(0, linesOfDevice).map((hit, index) => ({
      of: hit,
      above: hit.parents.filter((parent) => !isShown(of.hits, index, parent.line)),
    }));
    height += hits.reduce((sum, { above }) => sum + 1 + above.length, 0);
    shown.push({ of, hits });
  }
  return { shown, height };
}

interface OfDeviceProps {
  readonly of: Match;
  readonly hits: readonly Hit[];
}

function OfDevice({ of: { version, first_version, total }, hits }: OfDeviceProps) {
  const { device, part, version: number } = version;
  const at = (line: number) => to(["history", device], { part, version: String(number), line: String(line) });
  const versions =
    first_version === undefined || first_version === number ? number : `${first_version} – ${number}`;
  return (
    <section class="hits" aria-label={device}>
      <h2>
        <a href={to(["history", device])}>{device}</a> <span class="faint">version {versions}</span>
      </h2>
      <ol>
        {hits.map(({ of, above }) => (
          <li key={of.line}>
            {[...above, of].map((one) => (
              <Line key={one.line} href={at(one.line)} of={one} />
            ))}
          </li>
        ))}
      </ol>
      {total > hits.length && <p class="faint">{`${total - hits.length} more lines`}</p>}
    </section>
  );
}

/** Whether the hit before stands at or below this line, so that it is on the screen already. */
function isShown(hits: Match["hits"], index: number, parent: number): boolean {
  const before = hits[index - 1];
  return (
    before !== undefined && (before.line === parent || before.parents.some(({ line }) => line === parent))
  );
}

interface LineProps {
  readonly href: string;
  /** One of those above a hit has not been searched for. */
  readonly of: Pick<AnyHit, "line" | "text"> & Partial<Pick<AnyHit, "found">>;
}

function Line({ href, of: { line, text: whole, found } }: LineProps) {
  const ends = found?.map(({ to }) => to) ?? [];
  return (
    <div class={`hit ${found ? "" : "faint"}`}>
      <a href={href} aria-label={`line ${line}`} class="line-number">
        {line}
      </a>
      <code>
        {found?.flatMap(({ from, to }, at) => [
          whole.slice(ends[at - 1] ?? 0, from),
          <mark key={from}>{whole.slice(from, to)}</mark>,
        ])}
        {whole.slice(ends.at(-1) ?? 0)}
      </code>
    </div>
  );
}
