/** Keys of the person who has signed in: a list, a form for another one, and the new key, which is shown once. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { type Scope, scopes } from "../../../api/access/key.ts";
import { Action } from "../../parts/action.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { NewKey } from "../../parts/new-key.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Prose } from "../../parts/prose.tsx";
import { ask, isPerson, may } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { to } from "../../route.ts";
import { key, madeKey } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

type Made = v.InferOutput<typeof madeKey>;

export function MyKeysPage() {
  return (
    <>
      <h1>{text.nav.myKeys}</h1>
      {isPerson() ? <MyKeys /> : <p>{text.myKeys.forPersons}</p>}
    </>
  );
}

function MyKeys() {
  const [made, setMade] = useState<Made>();
  const { data, error, reload } = useLoad((signal) => ask(v.array(key), "/person/me/key", { signal }), []);
  const revoke = (id: string) => async () => {
    await ask(v.unknown(), `/person/me/key/${encodeURIComponent(id)}`, { method: "DELETE" });
    setMade(undefined);
    reload();
  };
  return (
    <>
      <p class="faint">
        <Prose of={text.myKeys.hint} />
      </p>
      <Problem error={error} />
      {made && <NewKey made={made} />}
      {data && (
        <Table
          caption={text.nav.myKeys}
          rows={data}
          keyOf={({ id }) => id}
          empty={text.myKeys.none}
          columns={[
            { head: "name", cell: ({ name }) => name },
            { head: "state", cell: ({ state }) => state.replace("_", " ") },
            { head: "scope", cell: ({ scope }) => scope },
            { head: "hosts", cell: ({ hosts }) => hosts.join(", ") || text.myKeys.asYou },
            { head: "last used", at: ({ last_used_at }) => last_used_at },
            { head: "expires", at: ({ expires_at }) => expires_at },
            {
              head: "",
              cell: ({ id, name, state }) =>
                state === "in_force" && <Action label="Revoke" sure={`Revoke ${name}?`} act={revoke(id)} />,
            },
          ]}
        />
      )}
      <NewKeyForm
        onMade={(one) => {
          setMade(one);
          reload();
        }}
      />
      <p>
        <a href={to(["confirm"])}>{text.confirm.typeCode}</a>
      </p>
    </>
  );
}

function NewKeyForm({ onMade }: { onMade: (made: Made) => void }) {
  const [error, setError] = useState<unknown>();
  const [working, setWorking] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    setWorking(true);
    setError(undefined);
    try {
      onMade(await ask(madeKey, "/person/me/key", { method: "POST", body: bodyOf(new FormData(form)) }));
      form.reset();
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };
  return (
    <form class="run" onSubmit={(event) => void submit(event)} autocomplete="off">
      <h2>{text.myKeys.make}</h2>
      <div class="fields">
        <label>
          name
          <input name="name" required maxLength={64} pattern="[A-Za-z0-9][A-Za-z0-9._\-]*" />
        </label>
        <label>
          {text.myKeys.days}
          <input name="days" type="number" min={1} max={3650} step="any" placeholder="90" />
        </label>
        <label>
          scope
          <select name="scope">
            <option value="">{text.myKeys.asYou}</option>
            {scopes.filter(may).map((scope: Scope) => (
              <option key={scope}>{scope}</option>
            ))}
          </select>
        </label>
      </div>
      <label>
        {text.myKeys.hosts}
        <textarea name="hosts" rows={2} spellcheck={false} />
      </label>
      <Problem error={error} />
      <p>
        <button type="submit" disabled={working}>
          {text.myKeys.make}
        </button>
      </p>
    </form>
  );
}

/** What is left empty is not sent: it is as the person has it. */
function bodyOf(form: FormData): object {
  const of = (name: string) => String(form.get(name) ?? "").trim();
  const hosts = of("hosts")
    .split(/[\s,]+/)
    .filter(Boolean);
  return {
    name: of("name"),
    ...(of("days") === "" ? {} : { expires_days: Number(of("days")) }),
    ...(of("scope") === "" ? {} : { scope: of("scope") }),
    ...(hosts.length === 0 ? {} : { hosts }),
  };
}
