/** New versions of all devices, newest first, each with its difference. */

import { useState } from "preact/hooks";
import { DifferenceRows } from "../../parts/history/difference.tsx";
import { VersionLine } from "../../parts/history/version.tsx";
import { More } from "../../parts/lists/more.tsx";
import { Problem } from "../../parts/problem.tsx";
import { withHistory } from "../../parts/without-right.tsx";
import { ask } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { usePaged } from "../../reading/paged.ts";
import { useRefreshed } from "../../reading/refreshed.ts";
import { place, refine, to } from "../../route.ts";
import { difference, historyPath, type Version, version } from "../../shapes/history.ts";
import { text } from "../../text/text.ts";

const spans = { "1h": 3_600_000, "1d": 86_400_000, "7d": 7 * 86_400_000, "30d": 30 * 86_400_000 } as const;
const usualSpan = "1d";

export const ChangesPage = withHistory(text.nav.changes, Changes);

function Changes() {
  const { query } = place.value;
  const select = query.get("select") ?? "";
  const span = query.get("since") ?? usualSpan;
  return (
    <>
      <h1>{text.nav.changes}</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
        <label>
          {text.history.since}{" "}
          <select value={span} onChange={(event) => refine({ since: event.currentTarget.value })}>
            {Object.keys(spans).map((name) => (
              <option key={name} value={name}>
                {text.history.spans[name]}
              </option>
            ))}
          </select>
        </label>
        <input
          aria-label={text.run.selector}
          placeholder={text.filters.select}
          class="wide"
          value={select}
          onChange={(event) => refine({ select: event.currentTarget.value.trim() })}
        />
      </form>
      <Feed key={`${span} ${select}`} span={span} select={select} />
    </>
  );
}

function Feed({ span, select }: { span: string; select: string }) {
  const [begun] = useState(() => Date.now());
  const ms = Object.entries(spans).find(([name]) => name === span)?.[1] ?? spans[usualSpan];
  const query = new URLSearchParams({ since: new Date(begun - ms).toISOString(), limit: "50" });
  if (select !== "") query.set("select", select);
  const path = `/history/change?${query}`;
  const { rows, error, fetchMore, reload } = usePaged(version, path);
  useRefreshed(reload);
  const shown = new Map(rows?.map((one) => [keyOf(one), one]));
  return (
    <>
      <Problem error={error} />
      {rows && shown.size === 0 && <p class="empty">{text.history.noChange}</p>}
      <ul class="versions">
        {[...shown].map(([key, one]) => (
          <li key={key}>
            <Change of={one} />
          </li>
        ))}
      </ul>
      <More act={fetchMore} />
    </>
  );
}

const keyOf = ({ device, part, version }: Version) => `${device} ${part} ${version}`;

function Change({ of }: { of: Version }) {
  const [open, setOpen] = useState(false);
  const { device, part, version: number } = of;
  return (
    <>
      <a href={to(["history", device], { part, version: String(number) })}>
        <strong>{device}</strong>
        {part === "running" ? "" : ` (${part})`} {number}
      </a>
      {" · "}
      <VersionLine of={of} />{" "}
      {number > 1 && (
        <button
          type="button"
          class="quiet"
          aria-expanded={open}
          aria-label={`${text.history.difference}: ${device} ${number}`}
          onClick={() => setOpen(!open)}
        >
          {text.history.difference}
        </button>
      )}
      {open && <Inline of={of} />}
    </>
  );
}

function Inline({ of: { device, part, version: number } }: { of: Version }) {
  const path = `${historyPath(device, "diff")}?${new URLSearchParams({ part, to: String(number), form: "side" })}`;
  const { data, error } = useLoad((signal) => ask(difference, path, { signal }), [path]);
  if (data === undefined) return error ? <Problem error={error} /> : <p class="empty">{text.loading}</p>;
  return <DifferenceRows label={`${text.history.difference}: ${device}`} of={data} />;
}
