/** Drift: devices by section, lines by how many devices have them, and how one device differs from its intents. */

import { useEffect } from "preact/hooks";
import * as v from "valibot";
import { type DriftState, driftStates, intentLimits } from "../../../api/intent/intent.ts";
import { Action } from "../../parts/action.tsx";
import { Take } from "../../parts/history/take.tsx";
import { More } from "../../parts/lists/more.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Prose } from "../../parts/prose.tsx";
import { When } from "../../parts/when.tsx";
import { withHistory } from "../../parts/without-right.tsx";
import { ask, may } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { useFresh, usePaged } from "../../reading/paged.ts";
import { go, place, to } from "../../route.ts";
import { oneChange } from "../../shapes/changes.ts";
import { type Detail, detail, line, type Row, row, summary } from "../../shapes/intent.ts";
import { text } from "../../text/text.ts";

type Section = Row["sections"][number];

const words = text.drift;
/** While devices are still to be compared, of which no event tells. */
const lookMs = 3_000;
const looks: Readonly<Record<DriftState, readonly [sign: string, like: string]>> = {
  compliant: ["✓", "finished"],
  drifted: ["≠", "failed"],
  unknown: ["?", "held"],
  intent_error: ["✕", "failed"],
};

/** The order of a column of states: what needs somebody comes first. */
const ranks: readonly (DriftState | undefined)[] = [
  "drifted",
  "intent_error",
  "unknown",
  "compliant",
  undefined,
];

export const DriftPage = withHistory(text.nav.drift, ({ id }) =>
  id === "" ? <Fleet /> : <OfDevice name={id} />,
);

function Sign({ of }: { of: DriftState }) {
  const [sign, like] = looks[of];
  return (
    <span class={`status ${like}`}>
      <span aria-hidden="true">{sign}</span> {words.states[of]}
    </span>
  );
}

const countsOf = ({ missing, extra, differs, unverified }: Section) =>
  Object.entries({ missing, extra, differs, unverified })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");

/** Drafts a change; its lines are computed when it is planned there. */
function Draft({ intent, device, quiet }: { intent: string; device?: string; quiet?: boolean }) {
  if (!may("operate")) return null;
  const draft = async () => {
    const body = { intents: [intent], ...(device === undefined ? {} : { devices: [device] }) };
    const { id } = await ask(oneChange, "/drift/fix", { method: "POST", body });
    go(["change", id]);
  };
  return <Action quiet={quiet === true} label={words.draft} act={draft} />;
}

function Fleet() {
  const { data, error, reload } = useLoad((signal) => ask(summary, "/drift/summary", { signal }), []);
  const waiting = data?.waiting ?? 0;
  const isOpen = waiting > 0;
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(reload, lookMs);
    return () => clearInterval(timer);
  }, [isOpen]);
  const state = place.value.query.get("state");
  const filter = state === null ? "" : `&state=${encodeURIComponent(state)}`;
  const matrix = useFresh(row, `/drift?limit=100${filter}`, [isOpen]);
  const compare = async () => {
    await ask(summary, "/drift/run", { method: "POST", body: {} });
    reload();
  };
  const byIntent = Map.groupBy(matrix.rows ?? [], ({ intent }) => intent);
  return (
    <>
      <h1>{text.nav.drift}</h1>
      <div class="actions">
        {may("operate") && <Action quiet label={words.compare} act={compare} />}
        <span role="status">{isOpen && words.waiting(waiting)}</span>
      </div>
      <Problem error={error} />
      {data && (
        <p class="tags">
          {driftStates
            .filter((one) => data.states[one] > 0)
            .map((one) => (
              <a
                key={one}
                href={to(["drift"], { state: state === one ? undefined : one })}
                aria-current={state === one ? "true" : undefined}
              >
                <Sign of={one} /> {data.states[one]}
              </a>
            ))}
        </p>
      )}
      <Problem error={matrix.error} />
      {matrix.rows?.length === 0 && (
        <p class="empty">
          <Prose of={state === null ? words.none : words.noneInState} />
        </p>
      )}
      {[...byIntent].map(([intent, rows]) => (
        <OfIntent key={intent} name={intent} rows={rows} alone={byIntent.size === 1} />
      ))}
      <More act={matrix.more} />
      {data && data.states.drifted > 0 && <Lines />}
    </>
  );
}

interface OfIntentProps {
  readonly name: string;
  readonly rows: readonly Row[];
  /** No other intent is shown. */
  readonly alone: boolean;
}

function OfIntent({ name, rows, alone }: OfIntentProps) {
  const sections = [...new Set(rows.flatMap(({ sections }) => sections.map(({ name }) => name)))];
  return (
    <section>
      <h2>{name}</h2>
      {rows.some(({ state, needs_person }) => state === "drifted" && !needs_person) && (
        <Draft intent={name} quiet={!alone} />
      )}
      <Table
        tools={`sort.${name}`}
        caption={words.caption(name)}
        rows={rows}
        keyOf={({ device }) => device}
        empty=""
        columns={[
          {
            head: words.device,
            value: ({ device }) => device,
            cell: ({ device, needs_person }) => (
              <>
                <a href={to(["drift", device])}>{device}</a>{" "}
                {needs_person && <span class="badge bad">{words.person}</span>}
              </>
            ),
          },
          ...sections.map((section) => ({
            head: section,
            key: `section ${section}`,
            value: ({ sections }: Row) => ranks.indexOf(sections.find(({ name }) => name === section)?.state),
            cell: ({ sections }: Row) => {
              const found = sections.find(({ name }) => name === section);
              return (
                found && (
                  <span class="status">
                    <Sign of={found.state} /> {found.state === "drifted" && countsOf(found)}
                  </span>
                )
              );
            },
          })),
          { head: words.reason, cell: ({ reason }) => reason },
        ]}
      />
    </section>
  );
}

function Lines() {
  const { rows, error, fetchMore } = usePaged(line, "/drift/line?limit=20");
  return (
    <section>
      <h2>{words.lines}</h2>
      <Problem error={error} />
      {rows && (
        <Table
          caption={words.lines}
          rows={rows}
          keyOf={({ intent, section, kind, line }) => JSON.stringify([intent, section, kind, line])}
          empty={words.noLines}
          columns={[
            { head: words.devices, number: true, cell: ({ devices }) => devices },
            { head: words.section, cell: ({ intent, section }) => `${intent}/${section}` },
            { head: words.kind, cell: ({ kind }) => kind },
            { head: words.line, cell: ({ line }) => <code>{line}</code> },
            {
              head: words.first,
              cell: ({ first_devices }) => (
                <span>
                  {first_devices.slice(0, 3).map((name, at) => (
                    <>
                      {at > 0 && ", "}
                      <a key={name} href={to(["drift", name])}>
                        {name}
                      </a>
                    </>
                  ))}
                </span>
              ),
            },
          ]}
        />
      )}
      <More act={fetchMore} />
    </section>
  );
}

function OfDevice({ name }: { name: string }) {
  const path = `/drift/device/${encodeURIComponent(name)}`;
  const { data, error } = useLoad((signal) => ask(v.array(detail), path, { signal }), [path]);
  if (data === undefined) return <NotLoaded title={name} error={error} list={["drift", text.nav.drift]} />;
  return (
    <article>
      <h1>{name}</h1>
      <p>
        <a href={to(["history", name])}>{text.history.versions}</a>{" "}
        {data.some(({ state }) => state === "unknown") && (
          <Take quiet of={{ devices: [name] }} label={text.device.take} />
        )}
      </p>
      {data.length === 0 && <p class="empty">{words.noIntent}</p>}
      {data.map((one) => (
        <Differences key={one.intent} of={one} />
      ))}
    </article>
  );
}

function Differences({ of }: { of: Detail }) {
  const { device, intent, state, reason, sections, fix, why, needs_person, version, since } = of;
  return (
    <section>
      <h2>
        {intent} <Sign of={state} />
      </h2>
      {reason !== null && <p>{reason}</p>}
      {since !== null && (
        <p class="faint">
          {words.since} <When at={since} />
          {version !== null && ` · ${text.version(version)}`}
        </p>
      )}
      {sections.map((section) => (
        <div key={section.name}>
          {(sections.length > 1 || section.name !== intent) && (
            <h3>
              {section.name} <Sign of={section.state} />
            </h3>
          )}
          {countsOf(section) !== "" && <p class="faint">{countsOf(section)}</p>}
          {section.lines !== "" && (
            <>
              <pre>{section.lines}</pre>
              <p class="faint">{words.legend}</p>
            </>
          )}
          {section.cut && <p class="faint">{words.cut}</p>}
        </div>
      ))}
      {fix !== null && (
        <>
          <h3>{fix.proven ? words.proven : words.unproven}</h3>
          <pre>{fix.lines.join("\n")}</pre>
          {fix.twin !== undefined && <p class="faint">{fix.twin.message}</p>}
          {fix.risks.length > 0 && (
            <ul>
              {fix.risks.map((risk) => (
                <li key={risk}>{risk}</li>
              ))}
            </ul>
          )}
          {!needs_person && <Draft intent={intent} device={device} />}
        </>
      )}
      {why !== undefined && <p>{words.why(why)}</p>}
      {needs_person && <p>{words.personLong(intentLimits.rounds)}</p>}
    </section>
  );
}
