/** Keys of the person who has signed in: a list, a form for another one, and the new key, which is shown once. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { agentRight, givenRights } from "../../../api/access/key.ts";
import { newOwnKey } from "../../../api/access/own-key.ts";
import { Action } from "../../parts/action.tsx";
import { Adding } from "../../parts/forms/adding.tsx";
import { RecordForm } from "../../parts/forms/record-form.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { NewKey } from "../../parts/new-key.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Prose } from "../../parts/prose.tsx";
import { ask, holds, isPerson } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { to } from "../../route.ts";
import { key, madeKey } from "../../shapes/shapes.ts";
import { labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";

type Made = v.InferOutput<typeof madeKey>;

/** Whether a key with the scope that is chosen may have the right. */
export const fitsScope = (right: string, said: FormData) =>
  said.get("scope") !== "agent" || right === agentRight;

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
      <Adding label={text.myKeys.make}>
        {(done) => (
          <RecordForm
            entries={newOwnKey.entries}
            label={text.myKeys.make}
            initial={{ rights: givenRights.filter(holds) }}
            required={["name"]}
            fits={fitsScope}
            save={async (body) => {
              setMade(await ask(madeKey, "/person/me/key", { method: "POST", body }));
              reload();
              done();
            }}
          />
        )}
      </Adding>
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
            { head: "state", cell: ({ state }) => labelOf(state) },
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
      <p>
        <a href={to(["confirm"])}>{text.confirm.typeCode}</a>
      </p>
    </>
  );
}
