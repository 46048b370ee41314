/** Changes of an import or a sync, or a preview of them: counts, warnings, and each change. */
import { countsOf } from "../inventory-counts.ts";
import type { Page } from "../reading/api.ts";
import { to } from "../route.ts";
import type { Upsert } from "../shapes/inventory.ts";
import { shownCell } from "../shown.ts";
import { text } from "../text/text.ts";
import { Action } from "./action.tsx";
import { Table } from "./lists/table.tsx";

interface ChangesProps {
  readonly of: Pick<Page<Upsert>, "data" | "warnings">;
  /** Applies what a dry run has shown. */
  readonly apply?: (preview: Upsert) => Promise<void>;
}

export const isToApply = ({ added, changed, removed, dry_run }: Upsert) =>
  dry_run && added + changed + removed > 0;

export function Changes({ of: { data, warnings }, apply }: ChangesProps) {
  const counts = countsOf(data);
  return (
    <section aria-label="What changes">
      <h2>
        {data.dry_run ? text.inventory.would : text.inventory.done}: {counts}
      </h2>
      <Warnings of={warnings} />
      {apply && isToApply(data) && (
        <Action main label={text.inventory.apply} sure={`${counts}: sure?`} act={() => apply(data)} />
      )}
      <Table
        caption="Changes"
        rows={data.diff}
        keyOf={({ kind, name, change }) => `${kind} ${name} ${change}`}
        empty={text.inventory.nothing}
        columns={[
          { head: "change", cell: ({ change }) => change },
          {
            head: "what",
            cell: ({ kind, name }) => (
              <a href={to([kind, name])}>
                {kind} {name}
              </a>
            ),
          },
          {
            head: "fields",
            cell: ({ fields }) => (
              <span class="words">
                {Object.entries(fields).map(([field, { from, to }]) => (
                  <div key={field}>
                    <code>{field}</code> <del>{shownCell(from)}</del> <ins>{shownCell(to)}</ins>
                  </div>
                ))}
              </span>
            ),
          },
        ]}
      />
      {data.diff_truncated && <p class="faint">{text.inventory.more}</p>}
    </section>
  );
}

/** Entries that were left out. */
export function Warnings({ of }: { of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="warnings" aria-label="Warnings">
      {of.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  );
}
