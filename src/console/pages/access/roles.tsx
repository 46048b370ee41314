/** Roles in the order in which they count; an editor; and what somebody may do, before a role is saved. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { givenRights, personScopes } from "../../../api/access/key.ts";
import { limitsInWords } from "../../../api/access/person.ts";
import { Action } from "../../parts/action.tsx";
import { Ticks } from "../../parts/forms/field.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask } from "../../reading/api.ts";
import { useDoing } from "../../reading/doing.ts";
import { useLoad } from "../../reading/load.ts";
import { go, to } from "../../route.ts";
import { type Preview, person, preview, type Role, role } from "../../shapes/access.ts";
import { labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";
import { linesOf, newRole, roleOf } from "./role-form.ts";

const pathOf = (name: string) => `/role/${encodeURIComponent(name)}`;
const words = text.roles;

export function RolesPage() {
  const { data, error, reload } = useLoad((signal) => ask(v.array(role), "/role", { signal }), []);
  const remove = (name: string) => async () => {
    await ask(v.unknown(), pathOf(name), { method: "DELETE" });
    reload();
  };
  return (
    <>
      <h1>{text.nav.roles}</h1>
      <p class="faint">{words.hint}</p>
      <p class="filters">
        <a class="button" href={to(["role"])}>
          {words.make}
        </a>
      </p>
      <Problem error={error} />
      {data && (
        <Table
          caption={text.nav.roles}
          rows={data}
          keyOf={({ name }) => name}
          empty={words.none}
          columns={[
            { head: "name", cell: ({ name }) => <a href={to(["role", name])}>{name}</a> },
            { head: "position", number: true, cell: ({ position }) => position },
            { head: "for", long: true, cell: (of) => membersText(of) },
            { head: "scope", cell: ({ scope }) => scope },
            { head: "hosts", long: true, cell: ({ hosts }) => hosts.join(", ") || "all" },
            { head: "rights", cell: ({ rights }) => rights.map(labelOf).join(", ") },
            {
              head: "",
              cell: ({ name }) => <Action label={text.remove} sure={`Remove ${name}?`} act={remove(name)} />,
            },
          ]}
        />
      )}
      <h2>{words.ask}</h2>
      <Asking />
    </>
  );
}

function membersText({ groups, subjects, issuer }: Role): string {
  const all = [...groups, ...subjects].join(", ") || words.nobody;
  return issuer === null ? all : `${all} (${issuer})`;
}

/** @param id name of the role; empty: a new one */
export function RolePage({ id }: { id: string }) {
  return id === "" ? <Editor of={newRole} isNew={true} /> : <Known key={id} name={id} />;
}

function Known({ name }: { name: string }) {
  const { data, error } = useLoad((signal) => ask(v.array(role), "/role", { signal }), []);
  const found = data?.find((one) => one.name === name);
  if (data === undefined) return <NotLoaded title={name} error={error} list={["roles", text.nav.roles]} />;
  if (found === undefined)
    return <NotLoaded title={name} error={words.unknown} list={["roles", text.nav.roles]} />;
  return <Editor of={found} isNew={false} />;
}

function Editor({ of, isNew }: { of: typeof newRole; isNew: boolean }) {
  const { error, working, submits } = useDoing();
  const [draft, setDraft] = useState<object>();
  const [named, setNamed] = useState(of.credentials !== null);
  const [listed, setListed] = useState(of.recipes !== null);
  const submit = submits(async (said, by) => {
    const { name, body } = roleOf(said);
    if (by === "look") return setDraft({ name, ...body });
    await ask(role, pathOf(name), { method: "PUT", body });
    go(["roles"]);
  });
  return (
    <>
      <h1>{isNew ? words.make : of.name}</h1>
      <form class="run" autocomplete="off" onSubmit={submit} onInput={() => setDraft(undefined)}>
        <div class="fields">
          <label>
            name
            <input
              name="name"
              required
              maxLength={64}
              pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
              title={words.nameHint}
              readOnly={!isNew}
              defaultValue={of.name}
            />
          </label>
          <label>
            {words.position}
            <input
              name="position"
              type="number"
              required
              min={0}
              max={1_000_000}
              defaultValue={String(of.position)}
            />
          </label>
          <label>
            scope
            <select name="scope">
              {personScopes.map((scope) => (
                <option key={scope} selected={scope === of.scope}>
                  {scope}
                </option>
              ))}
            </select>
          </label>
          <label>
            {words.issuer}
            <input
              name="issuer"
              type="url"
              defaultValue={of.issuer ?? ""}
              placeholder="https://id.example.net"
            />
          </label>
        </div>
        <Lines name="groups" label={words.groups} of={of.groups} sample="network-operators" />
        <Lines name="subjects" label={words.subjects} of={of.subjects} sample="248289761001" />
        <Lines
          name="hosts"
          label={words.hosts}
          of={of.hosts}
          sample={"10.0.0.0/8\n*.lab.example\nselect:site:berlin"}
        />
        <p>
          <label class="choice">
            <input
              type="checkbox"
              name="named"
              defaultChecked={named}
              onChange={(event) => setNamed(event.currentTarget.checked)}
            />{" "}
            {words.named}
          </label>
        </p>
        {named && (
          <Lines name="credentials" label={words.credentials} of={of.credentials ?? []} sample="lab-*" />
        )}
        <p>
          <label class="choice">
            <input
              type="checkbox"
              name="listed"
              defaultChecked={listed}
              onChange={(event) => setListed(event.currentTarget.checked)}
            />{" "}
            {words.listed}
          </label>
        </p>
        {listed && <Lines name="recipes" label={words.recipes} of={of.recipes ?? []} sample="vlan-*" />}
        <Ticks
          label="rights"
          name="rights"
          of={givenRights}
          ticked={(right) => of.rights.some((one) => one === right)}
        />
        <p class="actions">
          <button type="submit" class="quiet" value="look" disabled={working}>
            {words.look}
          </button>
          <button type="submit" value="keep" disabled={working}>
            {text.save}
          </button>
        </p>
      </form>
      <Problem error={error} />
      {draft && (
        <>
          <h2>{words.ask}</h2>
          <Asking draft={draft} />
        </>
      )}
    </>
  );
}

interface LinesProps {
  readonly name: string;
  readonly label: string;
  readonly of: readonly string[];
  readonly sample: string;
}

function Lines({ name, label, of, sample }: LinesProps) {
  return (
    <label>
      {label}
      <textarea name={name} rows={2} spellcheck={false} placeholder={sample}>
        {of.join("\n")}
      </textarea>
    </label>
  );
}

/** Asks what a person, or a member of groups, may do. @param draft a role as if it were stored */
function Asking({ draft }: { draft?: object }) {
  const persons = useLoad((signal) => ask(v.array(person), "/person?limit=500", { signal }), []);
  const [chosen, setChosen] = useState("");
  const [found, setFound] = useState<Preview>();
  const { error, submits } = useDoing();
  const submit = submits(async (said) => {
    setFound(undefined);
    const who = chosen === "" ? { groups: linesOf(String(said.get("groups"))) } : { person: chosen };
    const body = { ...who, ...(draft === undefined ? {} : { role: draft }) };
    setFound(await ask(preview, "/role/preview", { method: "POST", body }));
  });
  return (
    <>
      <form class="run" autocomplete="off" onSubmit={submit}>
        <div class="fields">
          <label>
            {words.person}
            <select
              aria-label={words.person}
              value={chosen}
              onChange={(event) => setChosen(event.currentTarget.value)}
            >
              <option value="">{words.byGroups}</option>
              {persons.data?.map(({ id, name, state }) => (
                <option key={id} value={id} disabled={state === "forgotten"}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        {chosen === "" && (
          <Lines name="groups" label={words.theirGroups} of={[]} sample="network-operators" />
        )}
        <p class="actions">
          <button type="submit" class="quiet">
            {words.tell}
          </button>
        </p>
      </form>
      <Problem error={error ?? persons.error} />
      <div role="status">{found && <Answer of={found} />}</div>
    </>
  );
}

function Answer({ of }: { of: Preview }) {
  const { role, because, others } = of;
  return (
    <>
      <p>
        <strong>{role ?? words.noRole}</strong> {because}
      </p>
      <ul>
        {limitsInWords(of).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {others.length > 0 && (
        <p class="faint">
          {words.others} {others.join(", ")}
        </p>
      )}
    </>
  );
}
