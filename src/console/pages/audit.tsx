/** Audit trail, filtered by the URL's parameters, newest first. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { type Page, page } from "../api.ts";
import { useLoad } from "../load.ts";
import { Action } from "../parts/action.tsx";
import { Mine } from "../parts/mine.tsx";
import { Problem } from "../parts/problem.tsx";
import { Table } from "../parts/table.tsx";
import { When } from "../parts/when.tsx";
import { place, refine, to } from "../route.ts";
import { auditRecord, submitterText } from "../shapes.ts";
import { text } from "../text.ts";

type Entry = v.InferOutput<typeof auditRecord>;

const words = ["who", "action", "host", "device", "bulk_id", "ticket", "submitted_by"] as const;
const days = ["since", "until"] as const;

/** Parameters of `GET /audit` in the URL. */
function queryOfPlace(): string {
  const query = new URLSearchParams({ limit: "200" });
  for (const name of [...words, ...days]) {
    const value = place.value.query.get(name);
    if (value) query.set(name, value);
  }
  return query.toString();
}

export function AuditPage() {
  const query = queryOfPlace();
  return (
    <>
      <h1>{text.nav.audit}</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
        {words.map((name) => (
          <input
            key={name}
            aria-label={name}
            placeholder={name}
            value={place.value.query.get(name) ?? ""}
            onChange={(event) => refine({ [name]: event.currentTarget.value.trim() })}
          />
        ))}
        <Mine />
        {days.map((name) => (
          <label key={name}>
            {name}{" "}
            <input
              type="date"
              value={place.value.query.get(name) ?? ""}
              onChange={(event) => refine({ [name]: event.currentTarget.value })}
            />
          </label>
        ))}
      </form>
      <Entries key={query} query={query} />
    </>
  );
}

function Entries({ query }: { query: string }) {
  const first = useLoad((signal) => page(v.array(auditRecord), `/audit?${query}`, { signal }), []);
  const [more, setMore] = useState<Page<Entry[]>>();
  const entries = [...(first.data?.data ?? []), ...(more?.data ?? [])];
  const next = more === undefined ? first.data?.next : more.next;
  const fetchMore = async () => {
    const further = await page(v.array(auditRecord), `/audit?${query}&cursor=${next}`);
    setMore({ ...further, data: [...(more?.data ?? []), ...further.data] });
  };
  return (
    <>
      <Problem error={first.error} />
      <Table
        caption={text.nav.audit}
        rows={entries}
        keyOf={({ id }) => String(id)}
        empty={text.nothing.other}
        columns={[
          { head: "when", cell: ({ at }) => <When at={at} /> },
          { head: "who", cell: ({ who }) => <Who of={who} /> },
          { head: "from", cell: ({ from }) => from },
          { head: "action", cell: ({ action }) => action },
          { head: "host", cell: ({ host }) => host },
          { head: "job", cell: ({ job_id: id }) => id && <a href={to(["job", id])}>{id.slice(-12)}</a> },
          { head: "outcome", cell: ({ outcome }) => outcome },
          { head: "submitted by", cell: ({ submitted_by: by }) => submitterText(by ?? undefined) },
          { head: "ticket", cell: ({ ticket }) => ticket },
          { head: "detail", cell: ({ detail }) => <span class="cut">{detail}</span> },
        ]}
      />
      {next !== undefined && <Action label={text.more} act={fetchMore} />}
    </>
  );
}

/** The name of a key; its id, which follows the name in the entry, is the tooltip. */
function Who({ of }: { of: string }) {
  const id = / \([0-9a-f-]{36}\)$/.exec(of);
  return (
    <span class="cut brief" title={of}>
      {id === null ? of : of.slice(0, id.index)}
    </span>
  );
}
