/** A device or a group: effective values with their origin, and the written entry for editing. */

import { useState } from "preact/hooks";
import * as v from "valibot";
import { deviceFields, groupFields } from "../../../api/inventory/inventory.ts";
import { Action } from "../../parts/action.tsx";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { RecordForm } from "../../parts/forms/record-form.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Problem } from "../../parts/problem.tsx";
import { When } from "../../parts/when.tsx";
import { ask, page } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { go, to } from "../../route.ts";
import { type Entry, entry } from "../../shapes/inventory.ts";
import { credential, plugin } from "../../shapes/shapes.ts";
import { shownText } from "../../shown.ts";
import { labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";
import { DeviceActions, DeviceNow } from "./device-now.tsx";
import { changesInventory, inGroup } from "./inventory-lists.tsx";
import { recordOf, valuesOf } from "./inventory-values.ts";

type Kind = "device" | "group";

export const DevicePage = ({ id }: { id: string }) => <EntryPage kind="device" name={id} />;
export const GroupPage = ({ id }: { id: string }) => <EntryPage kind="group" name={id} />;

function EntryPage({ kind, name }: { kind: Kind; name: string }) {
  if (name === "") return <NewEntry kind={kind} />;
  return <Known kind={kind} name={name} />;
}

function Known({ kind, name }: { kind: Kind; name: string }) {
  const path = `/inventory/${kind}/${encodeURIComponent(name)}`;
  const { data, error, reload } = useLoad((signal) => ask(entry, path, { signal }), [path]);
  const [editing, setEditing] = useState(false);
  const remove = async () => {
    await ask(v.unknown(), path, { method: "DELETE" });
    go([`${kind}s`]);
  };
  if (data === undefined) {
    const list = kind === "device" ? text.nav.devices : text.nav.groups;
    return <NotLoaded title={name} error={error} list={[`${kind}s`, list]} />;
  }
  return (
    <article>
      <h1>
        {data.name} {data.enabled === false && <span class="badge">{text.device.disabled}</span>}
      </h1>
      <Problem error={error} />
      <p class="actions">
        {kind === "device" ? (
          <DeviceActions of={data} />
        ) : (
          <a class="button" href={to(["devices"], { select: inGroup(data.name) })}>
            Its devices
          </a>
        )}
        {changesInventory() && (
          <>
            <button type="button" class="quiet" onClick={() => setEditing(!editing)} aria-expanded={editing}>
              {text.inventory.change}
            </button>
            <Action label={text.remove} sure={`Remove ${data.name}?`} act={remove} />
          </>
        )}
      </p>
      {editing && (
        <Edit
          kind={kind}
          path={path}
          done={() => {
            setEditing(false);
            reload();
          }}
        />
      )}
      {kind === "device" && <DeviceNow of={data} />}
      <h2>{kind === "device" ? text.device.values : text.device.groupValues}</h2>
      <Values of={data} />
      {data.changed_at && (
        <p class="faint">
          {text.device.entryChanged} <When at={data.changed_at} />
          {text.device.revision(data.revision ?? 1)}
        </p>
      )}
      {data.facts && <Reported of={data.facts} />}
    </article>
  );
}

function Values({ of }: { of: Entry }) {
  return (
    <Table
      caption="Effective values"
      rows={valuesOf(of)}
      keyOf={({ name }) => name}
      empty={text.nothing.other}
      columns={[
        { head: "field", cell: ({ name }) => <code>{name}</code> },
        { head: "value", long: true, cell: ({ value }) => value },
        {
          head: "from",
          cell: ({ group, from }) => (group === undefined ? from : <a href={to(["group", group])}>{from}</a>),
        },
      ]}
    />
  );
}

/** Facts that the device reported. */
function Reported({ of }: { of: Readonly<Record<string, unknown>> }) {
  const shown = Object.entries(of).map(([name, value]): Fact => {
    if (value === null || typeof value === "string")
      return [labelOf(name), name.endsWith("_at") && value ? <When key={name} at={value} /> : value];
    return [name, shownText(value)];
  });
  return (
    <section aria-label="Facts">
      <h2>Facts</h2>
      <Facts of={shown} />
    </section>
  );
}

/** The entry as written; saving is rejected if someone has changed it meanwhile. */
function Edit({ kind, path, done }: { kind: Kind; path: string; done: () => void }) {
  const written = useLoad((signal) => page(entry, `${path}?effective=false`, { signal }), [path]);
  if (written.data === undefined) return <Problem error={written.error} />;
  const { data, etag } = written.data;
  const save = async (body: object) => {
    const headers: Record<string, string> = etag === undefined ? {} : { "If-Match": etag };
    await ask(v.unknown(), path, { method: "PUT", body, headers });
    done();
  };
  return <EntryForm kind={kind} label={`The ${kind} as written`} initial={recordOf(data)} save={save} />;
}

function NewEntry({ kind }: { kind: Kind }) {
  const save = async (body: Record<string, unknown>) => {
    const name = String(body.name ?? "");
    await ask(v.unknown(), `/inventory/${kind}/${encodeURIComponent(name)}`, {
      ...{ method: "PUT", body },
      headers: { "If-None-Match": "*" },
    });
    go([kind, name]);
  };
  return (
    <>
      <h1>{kind === "device" ? text.inventory.newDevice : text.inventory.newGroup}</h1>
      <EntryForm kind={kind} label={`The ${kind}`} save={save} />
    </>
  );
}

const entriesOf = { device: deviceFields, group: groupFields };

interface EntryFormProps {
  readonly kind: Kind;
  readonly label: string;
  readonly initial?: Record<string, unknown>;
  readonly save: (body: Record<string, unknown>) => Promise<void>;
}

/** Suggests groups, credentials and drivers by name. */
function EntryForm({ kind, ...rest }: EntryFormProps) {
  const { data } = useLoad(async (signal) => {
    const [groups, credentials, plugins] = await Promise.all([
      ask(v.array(entry), "/inventory/group?limit=500", { signal }),
      ask(v.array(credential), "/credential", { signal }),
      ask(v.array(plugin), "/plugin", { signal }),
    ]);
    const named = (wanted: string) => plugins.filter((one) => one.kind === wanted).map(({ name }) => name);
    const groupNames = groups.map(({ name }) => name);
    return {
      ...{ group: groupNames, parent: groupNames, driver: named("driver"), platform: named("platform") },
      credential: credentials.map(({ source, ref }) => `${source}:${ref}`),
    };
  }, []);
  return (
    <RecordForm
      {...rest}
      entries={entriesOf[kind]}
      known={data ?? {}}
      required={["name"]}
      sample={text.inventory.sample[kind]}
    />
  );
}
