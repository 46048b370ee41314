/** The devices of a change, with their state, versions and jobs; and what happened to the change. */

import { useState } from "preact/hooks";
import { targetStates } from "../../../api/changes/change.ts";
import { ChangeDifference } from "../../parts/changes/change-difference.tsx";
import { StateOfTarget } from "../../parts/changes/change-state.tsx";
import { More } from "../../parts/lists/more.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { When } from "../../parts/when.tsx";
import { useFresh } from "../../reading/paged.ts";
import { place, refine, to } from "../../route.ts";
import { changePath, type OneChange, step, type Target, target } from "../../shapes/changes.ts";
import { labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";
import { targetRehearsal } from "./change-rehearsal.tsx";
import { toldOf } from "./change-steps.ts";

/** @param props.news differs when something has moved */
export function Targets({ of, news }: { of: OneChange; news: string }) {
  const { query } = place.value;
  const [state, wave] = [query.get("state") ?? "", query.get("wave") ?? ""];
  const asked = new URLSearchParams({ limit: "100" });
  if (state !== "") asked.set("state", state);
  if (wave !== "") asked.set("wave", wave);
  const { rows, error, more } = useFresh(target, `${changePath(of.id, "target")}?${asked}`, [news]);
  return (
    <section aria-label={text.change.targets}>
      <h2>{text.change.targets}</h2>
      <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
        <select
          aria-label="state"
          value={state}
          onChange={(event) => refine({ state: event.currentTarget.value })}
        >
          <option value="">{text.change.anyState}</option>
          {targetStates
            .filter((one) => one === state || of.targets[one] > 0)
            .map((one) => (
              <option key={one} value={one}>
                {labelOf(one)}
              </option>
            ))}
        </select>
        <select
          aria-label="wave"
          value={wave}
          onChange={(event) => refine({ wave: event.currentTarget.value })}
        >
          <option value="">{text.change.anyWave}</option>
          {of.waves.map((_, at) => (
            <option key={String(at)} value={String(at + 1)}>
              {text.change.wave(at + 1)}
            </option>
          ))}
        </select>
      </form>
      <Problem error={error} />
      {rows && (
        <Table
          caption={text.change.targetTable}
          rows={rows}
          keyOf={({ device }) => device}
          empty={text.change.noTarget}
          columns={[
            { head: "device", cell: ({ device }) => <a href={to(["device", device])}>{device}</a> },
            { head: "state", cell: ({ state: one }) => <StateOfTarget of={one} /> },
            { head: "wave", cell: (row) => row.wave, number: true },
            { head: "reason", long: true, cell: reasonOf },
            { head: "versions", cell: (row) => <Versions of={row} /> },
            { head: "lines", cell: ({ device }) => <ChangeDifference id={of.id} device={device} /> },
            { head: "rehearsal", cell: targetRehearsal },
            {
              head: "jobs",
              cell: (row) => <Jobs of={row} />,
              value: ({ job_id, return_job_id }) => job_id ?? return_job_id,
            },
          ]}
        />
      )}
      <More act={more} />
    </section>
  );
}

function reasonOf({ reason, returnable, state }: Target) {
  if (returnable || state === "returned" || state === "not_returned") return reason;
  return (
    <>
      <span class="badge">{text.change.cannotReturn}</span> {reason}
    </>
  );
}

function Versions({ of: { device, before_version: from, after_version: after } }: { of: Target }) {
  if (from === null) return null;
  if (after === null || after === from)
    return <a href={to(["history", device], { version: String(from) })}>{from}</a>;
  return (
    <a href={to(["history", device], { from: String(from), version: String(after) })}>
      {from} → {after}
    </a>
  );
}

function Jobs({ of: { job_id, return_job_id } }: { of: Target }) {
  if (job_id === null && return_job_id === null) return null;
  return (
    <>
      {job_id !== null && <a href={to(["job", job_id])}>push</a>}{" "}
      {return_job_id !== null && <a href={to(["job", return_job_id])}>return</a>}
    </>
  );
}

/** Steps of a change that are read at most: pages of 500. */
const maxPages = 20;
const stepsAtOnce = 30;

export function Steps({ id, news }: { id: string; news: string }) {
  const [room, setRoom] = useState(stepsAtOnce);
  const { rows = [], error } = useFresh(step, `${changePath(id, "step")}?limit=500`, [news], maxPages);
  const newest = toldOf(rows);
  return (
    <section aria-label={text.change.steps}>
      <h2>{text.change.steps}</h2>
      <Problem error={error} />
      <ol class="timeline" reversed>
        {newest.slice(0, room).map(({ n, at, words, who, detail }) => (
          <li key={n}>
            <When at={at} /> <strong>{words}</strong> <span class="faint">{who ?? text.change.service}</span>
            {detail !== null && <span class="detail"> {detail}</span>}
          </li>
        ))}
      </ol>
      <More act={newest.length > room && (() => setRoom(room + stepsAtOnce))} />
    </section>
  );
}
