/** Devices with their newest configuration and what is wrong with it: never read, suspect, failed, not saved. */

import * as v from "valibot";
import { deviceHistoryStates } from "../../../api/history/history.ts";
import { States } from "../../parts/history/states.tsx";
import { Take } from "../../parts/history/take.tsx";
import { More } from "../../parts/lists/more.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { withHistory } from "../../parts/without-right.tsx";
import { ask } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { usePaged } from "../../reading/paged.ts";
import { useRefreshed } from "../../reading/refreshed.ts";
import { place, refine, to } from "../../route.ts";
import { type Configured, configured, version } from "../../shapes/history.ts";
import { text } from "../../text/text.ts";
import { DeviceHistoryPage } from "./history-device.tsx";

export const HistoryPage = withHistory(text.nav.history, ({ id }) =>
  id === "" ? <Devices /> : <DeviceHistoryPage name={id} />,
);

function Devices() {
  const { query } = place.value;
  const [state, select] = [query.get("state") ?? "", query.get("select") ?? ""];
  return (
    <>
      <h1>{text.nav.history}</h1>
      <p class="tags">
        {["", ...deviceHistoryStates].map((name) => (
          <a
            key={name}
            href={to(["history"], { ...Object.fromEntries(query), state: name })}
            aria-current={name === state ? "true" : undefined}
          >
            {name === "" ? text.history.all : name}
          </a>
        ))}
      </p>
      <p class="filters">
        <input
          aria-label={text.run.selector}
          placeholder={text.run.selectorSample}
          class="wide"
          spellcheck={false}
          value={select}
          onChange={(event) => refine({ select: event.currentTarget.value.trim() })}
        />
        {select !== "" && (
          <Take of={{ select }} label={text.history.takeAll} sure={`${text.history.takeAll}: ${select}?`} />
        )}
      </p>
      <List key={`${state} ${select}`} state={state} select={select} />
    </>
  );
}

function List({ state, select }: { state: string; select: string }) {
  const query = new URLSearchParams({ limit: "200" });
  if (state !== "") query.set("state", state);
  if (select !== "") query.set("select", select);
  const path = `/history/device?${query}`;
  const { rows, error, fetchMore, reload } = usePaged(configured, path);
  useRefreshed(reload);
  const reasons = useLoad((signal) => reasonsOf(state, signal), [rows]);
  return (
    <>
      <Problem error={error} />
      {rows === undefined && error === undefined && <p class="empty">{text.loading}</p>}
      {rows && (
        <Table
          tools
          caption={text.nav.history}
          rows={rows}
          keyOf={({ device }) => device}
          empty={state === "" ? text.history.none : text.history.noneInState}
          columns={[
            {
              head: "device",
              long: true,
              cell: ({ device }) => <a href={to(["history", device])}>{device}</a>,
              value: ({ device }) => device,
            },
            { head: "state", cell: (row) => <States of={row} /> },
            ...(state === "suspect"
              ? [
                  {
                    head: "reason",
                    long: true,
                    cell: ({ device }: Configured) => reasons.data?.get(device),
                  },
                ]
              : []),
            { head: "last read", at: ({ last_good_at }) => last_good_at },
            { head: "last change", at: ({ latest }) => latest?.taken_at },
            { head: "versions", number: true, cell: ({ versions }) => versions },
            { head: "platform", cell: ({ platform }) => platform },
            {
              head: "",
              cell: ({ device, in_inventory }) => in_inventory && <Take quiet of={{ devices: [device] }} />,
            },
          ]}
        />
      )}
      <More act={fetchMore} />
    </>
  );
}

const maxReasons = 500;

/** Why the newest suspect version of a device is one; not read for other lists. */
async function reasonsOf(state: string, signal: AbortSignal): Promise<ReadonlyMap<string, string | null>> {
  if (state !== "suspect") return new Map();
  const path = `/history/change?${new URLSearchParams({ state, limit: String(maxReasons) })}`;
  const suspects = await ask(v.array(version), path, { signal });
  return new Map(suspects.reverse().map(({ device, reason }) => [device, reason]));
}
