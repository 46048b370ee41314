/** Credentials stored on the appliance: names, fields and dates, never values. */
import * as v from "valibot";
import { ask } from "../api.ts";
import { useLoad } from "../load.ts";
import { Action } from "../parts/action.tsx";
import { Problem } from "../parts/problem.tsx";
import { Prose } from "../parts/prose.tsx";
import { Table } from "../parts/table.tsx";
import { When } from "../parts/when.tsx";
import { credential } from "../shapes.ts";
import { text } from "../text.ts";

export function CredentialsPage() {
  const { data, error, reload } = useLoad(
    (signal) => ask(v.array(credential), "/credential", { signal }),
    [],
  );
  const remove = (source: string, ref: string) => async () => {
    const path = `/credential/${encodeURIComponent(ref)}?source=${encodeURIComponent(source)}`;
    await ask(v.unknown(), path, { method: "DELETE" });
    reload();
  };
  return (
    <>
      <h1>{text.nav.credentials}</h1>
      <p class="faint">
        <Prose of={text.credentialsHint} />
      </p>
      <Problem error={error} />
      {data && (
        <Table
          caption={text.nav.credentials}
          rows={data}
          keyOf={({ source, ref }) => `${source}:${ref}`}
          empty={text.nothing.other}
          columns={[
            { head: "reference", cell: ({ source, ref }) => <code>{`${source}:${ref}`}</code> },
            { head: "fields", cell: ({ fields }) => fields.join(", ") },
            { head: "changed", cell: ({ changed_at }) => <When at={changed_at} /> },
            { head: "last used", cell: ({ last_used_at }) => <When at={last_used_at} /> },
            {
              head: "",
              cell: ({ source, ref }) => (
                <Action label="Remove" sure={`Remove ${ref}?`} act={remove(source, ref)} />
              ),
            },
          ]}
        />
      )}
    </>
  );
}
