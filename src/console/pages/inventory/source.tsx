/** An inventory source: the result or error of each run; sync, preview, edit, remove. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { commonFields } from "../../../api/inventory/inventory-source.ts";
import { stringifyExact } from "../../../base/json/exact-json.ts";
import { fieldsOfKinds, usualFormats, usualKinds } from "../../forms/defaults.ts";
import { Action } from "../../parts/action.tsx";
import { Copy } from "../../parts/copy.tsx";
import { RecordForm } from "../../parts/forms/record-form.tsx";
import { Changes } from "../../parts/inventory-changes.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Problem } from "../../parts/problem.tsx";
import { When } from "../../parts/when.tsx";
import { ask, type Page } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { go } from "../../route.ts";
import { type Source, source, type Upsert } from "../../shapes/inventory.ts";
import { text } from "../../text/text.ts";
import { changesInventory } from "./inventory-lists.tsx";
import { pathOf, syncOf, useSchedules } from "./source-requests.ts";
import { countsText, Next, Outcome } from "./sources.tsx";

const word = v.string();
/** Those of the usual kinds; the JSON may have any. */
const fields = {
  kind: word,
  ...{ url: commonFields.url, format: word },
  ...Object.fromEntries(fieldsOfKinds.map((name) => [name, word])),
  ...commonFields,
};
const form = {
  label: text.sources.form,
  labels: text.sources.fields,
  required: ["name", "kind", "url"],
  known: { kind: usualKinds, format: usualFormats },
};

export function SourcePage({ id }: { id: string }) {
  return id === "" ? <NewSource /> : <Known name={id} />;
}

function NewSource() {
  const save = async (body: Record<string, unknown>) => {
    const name = String(body.name ?? "");
    if (name === "") throw new Error(text.sources.noName);
    const existing = await ask(v.array(source), "/inventory/source");
    if (existing.some((other) => other.name.toLowerCase() === name.toLowerCase()))
      throw new Error(text.sources.known);
    await ask(v.unknown(), pathOf(name), { method: "PUT", body });
    go(["source", name]);
  };
  return (
    <>
      <h1>{text.sources.make}</h1>
      <RecordForm {...form} entries={{ name: word, ...fields }} sample={text.sources.sample} save={save} />
    </>
  );
}

function Known({ name }: { name: string }) {
  const path = pathOf(name);
  const { data, error, reload } = useLoad((signal) => ask(source, path, { signal }), [path]);
  const schedules = useSchedules();
  const [changing, setChanging] = useState(false);
  const [shown, setShown] = useState<Page<Upsert>>();
  if (data === undefined)
    return <NotLoaded title={name} error={error} list={["sources", text.nav.sources]} />;
  const sync = (dryRun: boolean) => async () => {
    setShown(undefined);
    try {
      setShown(await syncOf(name, { dryRun }));
    } finally {
      reload();
    }
  };
  const remove = async () => {
    await ask(v.unknown(), path, { method: "DELETE" });
    go(["sources"]);
  };
  const save = async (body: Record<string, unknown>) => {
    await ask(v.unknown(), path, { method: "PUT", body });
    setChanging(false);
    reload();
  };
  const written = stringifyExact(writtenIn(data), 2);
  return (
    <article>
      <h1>{data.name}</h1>
      <Problem error={error ?? schedules.error} />
      {changesInventory() && (
        <p class="actions">
          <Action label={text.sources.sync} sure={`Sync ${data.name} now?`} act={sync(false)} />
          <Action quiet label={text.inventory.look} act={sync(true)} />
          <button type="button" class="quiet" onClick={() => setChanging(!changing)} aria-expanded={changing}>
            {text.inventory.change}
          </button>
          <Action
            label={text.remove}
            sure={`Remove ${data.name}? Its devices stay in the inventory.`}
            act={remove}
          />
        </p>
      )}
      <p>
        {data.kind} · <span class="words">{data.url}</span> · {data.mode} · changed{" "}
        <When at={data.changed_at} /> · next sync <Next of={data.name} by={schedules.data ?? []} />
      </p>
      {changing && <RecordForm {...form} entries={fields} initial={writtenIn(data)} save={save} />}
      {shown && <Changes of={shown} />}
      <Runs of={data} />
      <h2>
        As written <Copy value={written} label="the source" />
      </h2>
      <pre>{written}</pre>
    </article>
  );
}

function Runs({ of: { runs } }: { of: Source }) {
  return (
    <>
      <h2>Syncs</h2>
      <Table
        caption="Syncs"
        rows={runs}
        keyOf={({ started_at, ended_at, by }) => `${started_at} ${ended_at} ${by}`}
        empty={text.sources.noRun}
        columns={[
          { head: "ended", at: ({ ended_at }) => ended_at },
          { head: "by", cell: ({ by, dry_run }) => (dry_run ? `${by} (dry run)` : by) },
          { head: "outcome", long: true, cell: (run) => <Outcome of={run} /> },
          { head: "devices and groups", long: true, cell: countsText },
        ]}
      />
    </>
  );
}

/** Without the fields that the service adds. */
function writtenIn({ changed_at: _at, runs: _runs, submitted_by: _by, ...written }: Source): Partial<Source> {
  return written;
}
