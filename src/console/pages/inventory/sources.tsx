/** Inventory sources: last and next sync of each, and a button to sync now. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { countsOf } from "../../inventory-counts.ts";
import { Action } from "../../parts/action.tsx";
import { Warnings } from "../../parts/inventory-changes.tsx";
import { filtered, Mine } from "../../parts/lists/mine.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Signed } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { ask, type Page } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { to } from "../../route.ts";
import { type SourceRun, source, type Upsert } from "../../shapes/inventory.ts";
import type { Schedule } from "../../shapes/schedules.ts";
import { submitterText } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";
import { changesInventory } from "./inventory-lists.tsx";
import { syncOf, useSchedules } from "./source-requests.ts";
import { lastSync, nextSync } from "./source-times.ts";

export function SourcesPage() {
  const path = filtered("/inventory/source");
  const { data, error, reload } = useLoad((signal) => ask(v.array(source), path, { signal }), [path]);
  const schedules = useSchedules();
  const [ended, setEnded] = useState<{ name: string; answer: Page<Upsert> }>();
  const sync = (name: string) => async () => {
    setEnded(undefined);
    try {
      setEnded({ name, answer: await syncOf(name, { dryRun: false }) });
    } finally {
      reload();
    }
  };
  return (
    <>
      <h1>{text.nav.sources}</h1>
      <p class="faint">{text.sources.hint}</p>
      {changesInventory() && (
        <p class="filters">
          <a class="button" href={to(["source"])}>
            {text.sources.make}
          </a>
          <Mine />
        </p>
      )}
      <Problem error={error ?? schedules.error} />
      <p role="status">{ended && `${ended.name}: ${text.inventory.done}: ${countsOf(ended.answer.data)}`}</p>
      {ended && <Warnings of={ended.answer.warnings} />}
      {data && (
        <Table
          tools
          caption={text.nav.sources}
          rows={data}
          keyOf={({ name }) => name}
          empty={text.sources.none}
          columns={[
            {
              head: "source",
              cell: ({ name }) => <a href={to(["source", name])}>{name}</a>,
              value: ({ name }) => name,
            },
            { head: "kind", cell: ({ kind }) => kind },
            { head: "from", long: true, cell: ({ url }) => url },
            { head: "by", cell: ({ submitted_by }) => submitterText(submitted_by) },
            { head: "last sync", cell: (row) => <When at={lastSync(row)?.ended_at} /> },
            { head: "outcome", long: true, cell: (row) => <Outcome of={lastSync(row)} /> },
            { head: "devices and groups", long: true, cell: (row) => countsText(lastSync(row)) },
            { head: "next sync", cell: ({ name }) => <Next of={name} by={schedules.data ?? []} /> },
            {
              head: "",
              cell: ({ name }) => (
                <Action label={text.sources.sync} sure={`Sync ${name} now?`} act={sync(name)} />
              ),
            },
          ]}
        />
      )}
    </>
  );
}

/** The counts; for a failed run or a dry run, what it would have changed. */
export function countsText(of: SourceRun | undefined): string {
  const counts = of && countsOf(of);
  if (of === undefined || !counts) return "";
  const isDone = of.status === "succeeded" && !of.dry_run;
  return isDone ? counts : `${text.inventory.would}: ${counts}`;
}

/** Highlights a failure with its reason. */
export function Outcome({ of }: { of: SourceRun | undefined }) {
  if (of === undefined) return <span class="faint">–</span>;
  if (of.status === "succeeded") return <span>{of.status}</span>;
  return (
    <>
      <Signed sign="✕" of={of.status} like="failed" /> {of.error}
    </>
  );
}

/** The next scheduled sync and its schedule. */
export function Next({ of, by }: { of: string; by: readonly Schedule[] }) {
  const next = nextSync(of, by);
  if (next === undefined) return <When at={undefined} />;
  return (
    <a href={to(["schedule", next.schedule])}>
      <When at={next.at} />
    </a>
  );
}
