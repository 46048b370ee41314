/** The results of a bulk read together: equal outputs as one, a search, the difference of two devices. */

import { useMemo, useState } from "preact/hooks";
import * as v from "valibot";
import { parseExact } from "../../../base/json/exact-json.ts";
import { unifiedLines } from "../../../base/text/line-diff.ts";
import { byName } from "../../names.ts";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Records } from "../../parts/output.tsx";
import { Pre } from "../../parts/pre.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Save } from "../../parts/save.tsx";
import { ask } from "../../reading/api.ts";
import { useDoing } from "../../reading/doing.ts";
import { useLoad } from "../../reading/load.ts";
import { csvOf, mergedRecords } from "../../records.ts";
import { place, refine, to } from "../../route.ts";
import { bulk, job, nameOf, type OutputGroup, placeOf, resultGroups } from "../../shapes/shapes.ts";
import { shownText } from "../../shown.ts";
import { text } from "../../text/text.ts";

const named = 100;
/** Merged rows that are shown; the CSV has all. */
const mostRows = 300;

export function ResultsPage({ id }: { id: string }) {
  const { query } = place.value;
  const [command, contains] = [query.get("command") ?? "", query.get("contains") ?? ""];
  const search = new URLSearchParams({ devices: String(named) });
  if (command) search.set("command", command);
  if (contains) search.set("contains", contains);
  const path = `/bulk/${encodeURIComponent(id)}/results?${search}`;
  const { data, error, loading } = useLoad((signal) => ask(resultGroups, path, { signal }), [path]);
  const of = useLoad((signal) => ask(bulk, `/bulk/${encodeURIComponent(id)}`, { signal }), [id]);
  if (data === undefined)
    return <NotLoaded title={text.results.title} error={error} list={["bulks", text.nav.bulks]} />;
  const names = [...new Set(data.groups.flatMap(({ devices }) => namesOf(devices)))].sort(byName);
  return (
    <article aria-busy={loading}>
      <h1>{text.results.title}</h1>
      <p>
        <a href={to(["bulk", id])}>{nameOf(of.data ?? { id })}</a> · {data.jobs} results
        {data.without_result > 0 ? ` · ${data.without_result} devices without a result yet` : ""}
      </p>
      <Search command={command} contains={contains} commands={data.commands} />
      {error !== undefined && <Problem error={error} />}
      <Compare bulk={id} names={names} command={command} />
      {data.failures.map((failure) => (
        <section key={failure.error_type}>
          <h2 class="failed">
            <span aria-hidden="true">✕</span> {failure.error_type} on {failure.count}{" "}
            {failure.count === 1 ? "device" : "devices"}
          </h2>
          <Devices of={failure} />
          <p>{failure.message}</p>
        </section>
      ))}
      {data.groups.length === 0 && <p class="empty">{text.results.none}</p>}
      {[...Map.groupBy(data.groups, (group) => group.command)].map(([name, groups]) => (
        <OfCommand key={name} groups={groups} />
      ))}
      {data.more_groups > 0 && <p class="faint">{`${data.more_groups} ${text.results.more}`}</p>}
      {data.incomplete && <p class="faint">{text.results.incomplete}</p>}
    </article>
  );
}

/** Outputs of one command, the most common first: merged if they are records, and what differs from the first. */
function OfCommand({ groups }: { groups: readonly OutputGroup[] }) {
  const [first, ...others] = groups;
  if (first === undefined) return null;
  const name = first.command.split("\n")[0];
  const differ = others.reduce((sum, { count }) => sum + count, 0);
  const merged = mergedRecords(
    groups.map(({ devices, output, parsed, cut }) => ({
      names: namesOf(devices),
      value: parsed && !cut ? parseExact(output) : undefined,
    })),
  );
  return (
    <>
      {differ > 0 && (
        <p>
          <code>{name}</code>: {text.results.summary(first.count, differ)}
        </p>
      )}
      {merged && (
        <details open>
          <summary>{text.results.merged(merged.rows.length)}</summary>
          <Save name={`${name}.csv`} type="text/csv" label="CSV" make={() => csvOf(merged)} />
          <Records of={{ ...merged, rows: merged.rows.slice(0, mostRows) }} label={first.command} />
          {merged.rows.length > mostRows && <p class="faint">{text.results.moreRows(mostRows)}</p>}
        </details>
      )}
      {groups.map((group, at) => (
        <section key={group.sha256} class={at > shownAtOnce ? "terse" : undefined}>
          <h2>
            <code>{name}</code> {group.count === 1 ? text.results.only : `the same on ${group.count} devices`}
          </h2>
          <Devices of={group} />
          {group === first || group.cut || first.cut ? (
            <Whole of={group} isShown={merged === undefined} />
          ) : (
            <FromFirst first={first} of={group} isShown={at <= shownAtOnce} />
          )}
        </section>
      ))}
    </>
  );
}

function Whole({ of: { output, cut }, isShown = false }: { of: OutputGroup; isShown?: boolean }) {
  const [open, setOpen] = useState(isShown);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text.results.whole}</summary>
      {open && (
        <Pre class="terminal">
          {output}
          {cut ? "\n…" : ""}
        </Pre>
      )}
    </details>
  );
}

/** Longer outputs are compared when that is asked for. */
const comparedAtOnce = 32_768;
/** Where no two answer the same, a few differences say how; the names of the others are found below each other. */
const shownAtOnce = 5;

/** What differs from the first, the most common output, and on request all of it. */
function FromFirst({ first, of, isShown }: { first: OutputGroup; of: OutputGroup; isShown: boolean }) {
  const [compared, setCompared] = useState(
    isShown && first.output.length + of.output.length <= comparedAtOnce,
  );
  const lines = useMemo(
    () => (compared ? unifiedLines(first.output, of.output) : []),
    [compared, first.output, of.output],
  );
  return (
    <>
      <details open={compared} onToggle={(event) => setCompared(event.currentTarget.open)}>
        <summary>{text.results.fromFirst}</summary>
        {compared && <Difference lines={lines} />}
      </details>
      <Whole of={of} />
    </>
  );
}

interface SearchProps {
  readonly command: string;
  readonly contains: string;
  readonly commands: readonly string[];
}

/** Applied when it is submitted: the service reads all outputs. */
function Search({ command, contains, commands }: SearchProps) {
  const [wanted, setWanted] = useState(contains);
  return (
    <form
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        refine({ contains: wanted || undefined });
      }}
    >
      <label>
        {text.results.command}{" "}
        <select
          value={command}
          onChange={(event) => refine({ command: event.currentTarget.value || undefined })}
        >
          <option value="">{text.results.all}</option>
          {[...new Set([...commands, ...(command ? [command] : [])])].map((name) => (
            <option key={name} value={name}>
              {name.split("\n")[0]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {text.results.contains}{" "}
        <input value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
      </label>
      <button type="submit">{text.results.search}</button>
    </form>
  );
}

const namesOf = (devices: OutputGroup["devices"]): string[] =>
  devices.map(({ device, host }) => device ?? host).sort(byName);

function Devices({ of: { devices, count } }: { of: Grouped }) {
  return (
    <p class="tags">
      {devices
        .toSorted((a, b) => byName(a.device ?? a.host, b.device ?? b.host))
        .map((device) => (
          <a key={device.id} href={to(["job", device.id])} title={placeOf(device)}>
            {device.device ?? device.host}
          </a>
        ))}
      {count > devices.length && <span>and {count - devices.length} more</span>}
    </p>
  );
}

interface CompareProps {
  readonly bulk: string;
  /** Suggested. */
  readonly names: readonly string[];
  readonly command: string;
}

function Compare({ bulk, names, command }: CompareProps) {
  const [pair, setPair] = useState<readonly [string, string]>(["", ""]);
  const [shown, setShown] = useState<{ readonly lines: readonly string[] }>();
  const { error, submits } = useDoing();
  const compare = submits(async () => {
    setShown(undefined);
    const [left, right] = await Promise.all(pair.map((name) => outputsIn(bulk, name, command)));
    setShown({ lines: unifiedLines(left ?? "", right ?? "") });
  });
  return (
    <form class="filters" aria-label={text.results.compare} onSubmit={compare}>
      <datalist id="result-devices">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {([0, 1] as const).map((at) => (
        <input
          key={at}
          class="middle"
          list="result-devices"
          required
          aria-label={at === 0 ? text.results.first : text.results.second}
          placeholder={at === 0 ? text.results.first : text.results.second}
          value={pair[at]}
          onInput={(event) => {
            const name = event.currentTarget.value.trim();
            setPair(([left, right]) => (at === 0 ? [name, right] : [left, name]));
          }}
        />
      ))}
      <button type="submit" class="quiet">
        {text.results.compare}
      </button>
      <Problem error={error} />
      <p role="status">{shown?.lines.length === 0 && text.results.equal}</p>
      {shown && shown.lines.length > 0 && <Difference lines={shown.lines} />}
    </form>
  );
}

function Difference({ lines }: { lines: readonly string[] }) {
  return (
    <Pre class="difference">
      {lines.map((line, at) => {
        const key = `${at} ${line}`;
        if (line.startsWith("+")) return <ins key={key}>{`${line}\n`}</ins>;
        return line.startsWith("-") ? <del key={key}>{`${line}\n`}</del> : `${line}\n`;
      })}
    </Pre>
  );
}

/** The outputs of a device's job as one text. @throws ApiError, Error: the bulk has no such device */
async function outputsIn(bulk: string, name: string, command: string): Promise<string> {
  const search = new URLSearchParams({ bulk_id: bulk, host: name, limit: "1" });
  const [found] = await ask(v.array(job), `/job?${search}`);
  if (found === undefined) throw new Error(`${name} is no device of this bulk.`);
  const outputs = outputsOf(found.result?.retval, command);
  if (outputs === undefined)
    throw new Error(`There is no output of ${name}: ${found.error_type ?? found.status}.`);
  return outputs;
}

type Grouped = Pick<OutputGroup, "count" | "devices">;

const outputs = v.record(v.string(), v.unknown());

/** @param command only of this one; undefined: there is no output */
function outputsOf(retval: unknown, command: string): string | undefined {
  const read = v.safeParse(outputs, retval);
  if (!read.success) return undefined;
  const wanted = Object.entries(read.output).filter(([name]) => command === "" || name === command);
  return wanted
    .map(([name, output]) => {
      const plain = shownText(output, 2).trimEnd();
      return wanted.length > 1 ? `# ${name}\n${plain}` : plain;
    })
    .join("\n\n");
}
