/** Audit trail, filtered by the URL's parameters, newest first. */

import type * as v from "valibot";
import { Filters, filtersOfPlace } from "../../parts/lists/filters.tsx";
import { Mine } from "../../parts/lists/mine.tsx";
import { More } from "../../parts/lists/more.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { usePaged } from "../../reading/paged.ts";
import { to } from "../../route.ts";
import { auditRecord, submitterText } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

const words = ["who", "action", "host", "device", "bulk_id", "ticket", "submitted_by"] as const;

export function AuditPage() {
  const query = filtersOfPlace(words);
  return (
    <>
      <h1>{text.nav.audit}</h1>
      <Filters words={words}>
        <Mine />
      </Filters>
      <Entries key={query} query={query} />
    </>
  );
}

function Entries({ query }: { query: string }) {
  const { rows, error, fetchMore } = usePaged(auditRecord, `/audit?${query}`);
  return (
    <>
      <Problem error={error} />
      {rows && (
        <Table
          tools
          caption={text.nav.audit}
          rows={rows}
          keyOf={({ id }) => String(id)}
          empty={text.nothing.other}
          columns={[
            { head: "when", at: ({ at }) => at },
            { head: "who", cell: (entry) => <Who of={entry} />, value: ({ who }) => who },
            { head: "action", cell: ({ action }) => action },
            { head: "outcome", cell: ({ outcome }) => outcome },
            { head: "host", long: true, cell: ({ host }) => host },
            { head: "job", cell: ({ job_id: id }) => id && <a href={to(["job", id])}>{id.slice(-12)}</a> },
            { head: "ticket", cell: ({ ticket }) => ticket },
            { head: "detail", long: true, cell: ({ detail }) => detail },
            { head: "from", cell: ({ from }) => from },
          ]}
        />
      )}
      <More act={fetchMore} />
    </>
  );
}

/** The name of a key; its id, which follows the name in the entry, is the tooltip. Who submitted it, if it was another. */
function Who({ of: { who, submitted_by: by } }: { of: v.InferOutput<typeof auditRecord> }) {
  const name = who.replace(/ \([0-9a-f-]{36}\)$/, "");
  return (
    <>
      <span class="cut who" title={who}>
        {name}
      </span>
      {by && (by.kind === "schedule" || name !== by.name) && (
        <div>
          <span class="hidden">, </span>
          <span class="cut who faint" title={submitterText(by)}>
            {text.filters.submitted_by} {submitterText(by)}
          </span>
        </div>
      )}
    </>
  );
}
