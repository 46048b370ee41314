/** Bulks, newest first. */
import * as v from "valibot";
import { Mine } from "../../parts/lists/mine.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Counts, DryRun } from "../../parts/status.tsx";
import { ask } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { useJobNews } from "../../reading/refreshed.ts";
import { place, to } from "../../route.ts";
import { bulk, nameOf, submitterText } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

export function BulksPage() {
  const by = place.value.query.get("submitted_by");
  const path = by === null ? "/bulk?limit=100" : `/bulk?limit=100&submitted_by=${encodeURIComponent(by)}`;
  const { data, error, reload } = useLoad((signal) => ask(v.array(bulk), path, { signal }), [path]);
  useJobNews(({ bulk_id }) => bulk_id !== null, reload);
  return (
    <>
      <h1>{text.nav.bulks}</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
        <Mine />
      </form>
      <Problem error={error} />
      {data && (
        <Table
          tools
          caption={text.nav.bulks}
          rows={data}
          keyOf={({ id }) => id}
          empty={
            <>
              {text.nothing.bulks} <a href={to(["run"])}>{text.nextStep.jobs}</a>
            </>
          }
          columns={[
            {
              head: "bulk",
              long: true,
              value: nameOf,
              cell: (of) => <a href={to(["bulk", of.id])}>{nameOf(of)}</a>,
            },
            { head: "status", cell: ({ status }) => status },
            {
              head: "what",
              value: ({ driver, operation }) => `${driver} ${operation}`,
              cell: ({ driver, operation, dry_run }) => (
                <>
                  {driver} {operation} <DryRun of={dry_run} />
                </>
              ),
            },
            { head: "devices", cell: ({ total }) => total, number: true },
            {
              head: "jobs",
              // The worst first or last.
              value: ({ counts, total }) => (counts.failed ?? 0) / Math.max(1, total),
              cell: ({ id, counts, total, with_refusals }) => (
                <Counts of={counts} total={total} refused={with_refusals}>
                  {(counts.finished ?? 0) > 0 && <a href={to(["results", id])}>{text.results.short}</a>}
                </Counts>
              ),
            },
            { head: "ticket", cell: ({ ticket }) => ticket },
            { head: "submitted by", cell: ({ submitted_by }) => submitterText(submitted_by) },
            { head: "started", at: ({ created_at }) => created_at },
          ]}
        />
      )}
    </>
  );
}
