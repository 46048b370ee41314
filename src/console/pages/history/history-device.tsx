/** The configuration of a device: its versions, and of them the text or the difference that the address names. */

import { useState } from "preact/hooks";
import * as v from "valibot";
import { configurationParts } from "../../../api/history/history.ts";
import { DifferenceRows, DifferenceTree } from "../../parts/history/difference.tsx";
import { States } from "../../parts/history/states.tsx";
import { Take } from "../../parts/history/take.tsx";
import { VersionLine } from "../../parts/history/version.tsx";
import { More } from "../../parts/lists/more.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask, may } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { usePaged } from "../../reading/paged.ts";
import { useRefreshed } from "../../reading/refreshed.ts";
import { place, to } from "../../route.ts";
import { configured, difference, historyPath, type Version, version } from "../../shapes/history.ts";
import { text } from "../../text/text.ts";
import { ConfigurationText } from "./history-text.tsx";

export function DeviceHistoryPage({ name }: { name: string }) {
  const { query } = place.value;
  const part = configurationParts.find((known) => known === query.get("part")) ?? "running";
  const [from, chosen] = [query.get("from"), query.get("version")];
  const path = `/history/device?${new URLSearchParams({ device: name })}`;
  const { data, error, reload } = useLoad((signal) => ask(v.array(configured), path, { signal }), [path]);
  useRefreshed(reload);
  const [device] = data ?? [];
  if (device === undefined)
    return (
      <>
        <NotLoaded title={name} error={error} list={["history", text.nav.history]} />
        {error !== undefined && <Take of={{ devices: [name] }} />}
      </>
    );
  return (
    <article>
      <h1>
        {device.device} <States of={device} />
      </h1>
      <p class="actions">
        {device.in_inventory && (
          <>
            <Take of={{ devices: [device.device] }} />
            <a class="button quiet" href={to(["device", device.device])}>
              {text.history.entry}
            </a>
          </>
        )}
      </p>
      <p class="tags">
        {configurationParts.map((known) => (
          <a
            key={known}
            href={to(["history", name], { part: known })}
            aria-current={known === part ? "true" : undefined}
          >
            {known}
          </a>
        ))}
      </p>
      <div class="configuration">
        <Versions key={part} name={name} part={part} at={device.last_good_at ?? device.failed_at} />
        {from === null ? (
          <ConfigurationText name={name} part={part} number={chosen ?? "latest"} />
        ) : (
          <Compared name={name} part={part} from={from} to={chosen ?? "latest"} />
        )}
      </div>
    </article>
  );
}

interface VersionsProps {
  readonly name: string;
  readonly part: string;
  /** When the device was read last: then there may be a new version. */
  readonly at: string | null;
}

function Versions({ name, part, at }: VersionsProps) {
  const path = `${historyPath(name)}?${new URLSearchParams({ part, limit: "50" })}`;
  const { rows, error, fetchMore, reload } = usePaged(version, path, [at]);
  const chosen = place.value.query.get("version");
  const shown = chosen === null || chosen === "latest" ? newestGood(rows ?? []) : Number(chosen);
  return (
    <section aria-label={text.history.versions}>
      <h2>{text.history.versions}</h2>
      <Problem error={error} />
      {rows?.length === 0 && <p class="empty">{text.history.noVersion}</p>}
      <ol class="versions">
        {rows?.map((one) => (
          <li key={one.version} aria-current={one.version === shown ? "true" : undefined}>
            <a href={to(["history", name], { part, version: String(one.version) })}>
              <strong>{one.version}</strong>
            </a>
            {" · "}
            <VersionLine of={one} /> <Compare name={name} part={part} of={one} shown={shown} />{" "}
            {may("operate") && <Note name={name} of={one} done={reload} />}
          </li>
        ))}
      </ol>
      <More act={fetchMore} />
    </section>
  );
}

const newestGood = (rows: readonly Version[]) => rows.find(({ state }) => state === "good")?.version;

/** Links to the difference with the shown version, from the older one to the newer one. */
function Compare({ name, part, of: { version: number }, shown }: CompareProps) {
  if (shown === undefined || shown === number) return null;
  const [from, last] = [String(Math.min(number, shown)), String(Math.max(number, shown))];
  return (
    <a
      href={to(["history", name], { part, from, version: last })}
      aria-label={`${text.history.compare} ${from} ${last}`}
    >
      {text.history.compare}
    </a>
  );
}

interface CompareProps {
  readonly name: string;
  readonly part: string;
  readonly of: Version;
  readonly shown: number | undefined;
}

function Note({ name, of: { part, version: number, note }, done }: NoteProps) {
  const [writing, setWriting] = useState(false);
  const [error, setError] = useState<unknown>();
  const label = `${text.history.note} ${number}`;
  if (!writing)
    return (
      <button type="button" class="quiet" aria-label={label} onClick={() => setWriting(true)}>
        {text.history.note}
      </button>
    );
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = String(new FormData(event.currentTarget).get("note") ?? "").trim();
    try {
      const body = { note: given === "" ? null : given };
      await ask(v.unknown(), `${historyPath(name, String(number))}?part=${part}`, { method: "PATCH", body });
      setWriting(false);
      done();
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <form class="filters" onSubmit={save}>
      <input name="note" class="wide" aria-label={label} maxLength={500} defaultValue={note ?? ""} />
      <button type="submit">{text.save}</button>
      <Problem error={error} />
    </form>
  );
}

interface NoteProps {
  readonly name: string;
  readonly of: Version;
  readonly done: () => void;
}

const forms = ["side", "structured"] as const;

function Compared({ name, part, from, to: last }: { name: string; part: string; from: string; to: string }) {
  const other = place.value.query.get("other") ?? "";
  const form = forms.find((known) => known === place.value.query.get("form")) ?? "side";
  const query = new URLSearchParams({ part, from, to: last, form });
  if (other !== "") query.set("other", other);
  const path = `${historyPath(name, "diff")}?${query}`;
  const { data, error } = useLoad((signal) => ask(difference, path, { signal }), [path]);
  if (data === undefined) return error ? <Problem error={error} /> : <p class="empty">{text.loading}</p>;
  const Difference = form === "side" ? DifferenceRows : DifferenceTree;
  const title = `${data.from.version} → ${other === "" ? "" : `${data.to.device} `}${data.to.version}`;
  return (
    <section aria-label={text.history.difference}>
      <h2>
        {text.history.difference} {title}{" "}
        <a href={to(["history", name], { part, version: last })}>{text.history.text}</a>
      </h2>
      <p class="tags">
        {forms.map((known) => (
          <a
            key={known}
            href={to(["history", name], {
              ...{ part, from, version: last, form: known },
              ...(other === "" ? {} : { other }),
            })}
            aria-current={known === form ? "true" : undefined}
          >
            {text.history.forms[known]}
          </a>
        ))}
      </p>
      <Difference label={`${text.history.difference} ${title}`} of={data} />
    </section>
  );
}
