/** Bulks, newest first. */
import * as v from "valibot";
import { ask } from "../api.ts";
import { useLoad } from "../load.ts";
import { Mine } from "../parts/mine.tsx";
import { Problem } from "../parts/problem.tsx";
import { Counts, DryRun } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { When } from "../parts/when.tsx";
import { place, to } from "../route.ts";
import { bulk, submitterText } from "../shapes.ts";
import { text } from "../text.ts";

export function BulksPage() {
  const by = place.value.query.get("submitted_by");
  const path = by === null ? "/bulk?limit=100" : `/bulk?limit=100&submitted_by=${encodeURIComponent(by)}`;
  const { data, error } = useLoad((signal) => ask(v.array(bulk), path, { signal }), [path]);
  return (
    <>
      <h1>{text.nav.bulks}</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
        <Mine />
      </form>
      <Problem error={error} />
      {data && (
        <Table
          caption={text.nav.bulks}
          rows={data}
          keyOf={({ id }) => id}
          empty={text.nothing.bulks}
          columns={[
            {
              head: "bulk",
              cell: ({ id, label, select }) => (
                <a href={to(["bulk", id])}>{label ?? select ?? id.slice(-12)}</a>
              ),
            },
            { head: "status", cell: ({ status }) => status },
            {
              head: "what",
              cell: ({ driver, operation, dry_run }) => (
                <>
                  {driver} {operation} <DryRun of={dry_run} />
                </>
              ),
            },
            { head: "devices", cell: ({ total }) => total, number: true },
            {
              head: "jobs",
              cell: ({ counts, total, with_refusals }) => (
                <Counts of={counts} total={total} refused={with_refusals} />
              ),
            },
            { head: "ticket", cell: ({ ticket }) => ticket },
            { head: "submitted by", cell: ({ submitted_by }) => submitterText(submitted_by) },
            { head: "started", cell: ({ created_at }) => <When at={created_at} /> },
          ]}
        />
      )}
    </>
  );
}
