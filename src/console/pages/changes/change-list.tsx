/** Changes, newest first: their state, progress and approvals, and those that wait for this session. */

import { useState } from "preact/hooks";
import { changeStates } from "../../../api/changes/change.ts";
import { StateOfChange, TargetCounts, totalOf } from "../../parts/changes/change-state.tsx";
import { More } from "../../parts/lists/more.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { may } from "../../reading/api.ts";
import { useChangeNews } from "../../reading/change-news.ts";
import { useFresh } from "../../reading/paged.ts";
import { place, refine, to } from "../../route.ts";
import { type ListedChange, listedChange } from "../../shapes/changes.ts";
import { submitterText } from "../../shapes/shapes.ts";
import { labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";

export function ChangeList() {
  const { query } = place.value;
  const state = query.get("state") ?? "";
  const waits = query.get("waits_for_you") === "true";
  const asked = new URLSearchParams({ limit: "50" });
  if (state !== "") asked.set("state", state);
  if (waits) asked.set("waits_for_you", "true");
  const [turn, setTurn] = useState(0);
  const { rows, error, more } = useFresh(listedChange, `/change?${asked}`, [turn]);
  useChangeNews("/change/events", () => setTurn((before) => before + 1), rows?.map((row) => row.state) ?? []);
  return (
    <>
      <h1>{text.nav.change}</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
        {may("operate") && (
          <a class="button" href={to(["change", "new"])}>
            {text.change.form.make}
          </a>
        )}
        <select
          aria-label="state"
          value={state}
          onChange={(event) => refine({ state: event.currentTarget.value })}
        >
          <option value="">{text.change.anyState}</option>
          {changeStates.map((one) => (
            <option key={one} value={one}>
              {labelOf(one)}
            </option>
          ))}
        </select>
        <label class="choice">
          <input
            type="checkbox"
            checked={waits}
            onChange={(event) => refine({ waits_for_you: event.currentTarget.checked ? "true" : undefined })}
          />{" "}
          {text.change.waitsForYou}
        </label>
      </form>
      <Problem error={error} />
      {rows && (
        <Table
          tools
          caption={text.nav.change}
          rows={rows}
          keyOf={({ id }) => id}
          empty={waits || state !== "" ? text.change.noneSuch : text.change.none}
          columns={[
            {
              head: "change",
              long: true,
              value: ({ name }) => name,
              cell: ({ id, name, waits_for_you }) => (
                <span class="title">
                  <a href={to(["change", id])}>{name}</a>{" "}
                  {waits_for_you && <span class="badge">{text.change.waitsForYou}</span>}
                </span>
              ),
            },
            {
              head: "state",
              cell: ({ state: one }) => <StateOfChange of={one} />,
              value: ({ state: one }) => one,
            },
            { head: "wave", cell: (row) => <Progress of={row} /> },
            { head: "approvals", cell: ({ approvals }) => approvalsText(approvals) },
            { head: "ticket", cell: ({ ticket }) => ticket },
            { head: "author", cell: ({ submitted_by }) => submitterText(submitted_by) },
            { head: "drafted", at: ({ created_at }) => created_at },
          ]}
        />
      )}
      <More act={more} />
    </>
  );
}

const approvalsText = ({ needed, given }: ListedChange["approvals"]) =>
  needed === 0 ? text.change.noneNeeded : `${given} of ${needed}`;

function Progress({ of: { wave, waves, targets } }: { of: ListedChange }) {
  if (totalOf(targets) === 0) return null;
  return (
    <div class="progress">
      {wave === 0 ? text.change.waves(waves.length) : `${wave} of ${waves.length}`}
      <TargetCounts of={targets} />
    </div>
  );
}
