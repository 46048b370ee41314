/** Persons who have signed in: what each may do, and who is blocked. */

import * as v from "valibot";
import { limitsInWords } from "../../../api/access/person.ts";
import { Action } from "../../parts/action.tsx";
import { More } from "../../parts/lists/more.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask, me } from "../../reading/api.ts";
import { usePaged } from "../../reading/paged.ts";
import { to } from "../../route.ts";
import { person } from "../../shapes/access.ts";
import { labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";

const words = text.persons;
const pageSize = 200;

export function PersonsPage() {
  const { rows, error, fetchMore, restart } = usePaged(person, `/person?limit=${pageSize}`);
  const block = (id: string, blocked: boolean) => async () => {
    await ask(v.unknown(), `/person/${encodeURIComponent(id)}`, { method: "PATCH", body: { blocked } });
    restart();
  };
  const forget = (id: string) => async () => {
    await ask(v.unknown(), `/person/${encodeURIComponent(id)}/forget`, { method: "POST" });
    restart();
  };
  return (
    <>
      <h1>{text.nav.persons}</h1>
      <p class="faint">{words.hint}</p>
      <Problem error={error} />
      {rows && (
        <Table
          tools
          caption={text.nav.persons}
          rows={rows}
          keyOf={({ id }) => id}
          empty={words.none}
          columns={[
            {
              head: "name",
              long: true,
              cell: ({ name, subject }) => <span title={subject}>{name}</span>,
            },
            { head: "email", cell: ({ email }) => email },
            { head: "state", cell: ({ state }) => labelOf(state) },
            {
              head: "role",
              cell: (of) =>
                of.role && (
                  <a href={to(["role", of.role])} title={limitsInWords(of).join(" ")}>
                    {of.role}
                  </a>
                ),
            },
            { head: "scope", cell: ({ scope }) => scope },
            { head: "groups", long: true, cell: ({ groups }) => groups.join(", ") },
            { head: "last sign-in", at: ({ signed_in_at }) => signed_in_at },
            {
              head: "",
              cell: ({ id, name, state }) =>
                state !== "forgotten" &&
                name !== me.value?.person && (
                  <>
                    {state === "blocked" ? (
                      <Action quiet label={words.unblock} act={block(id, false)} />
                    ) : (
                      <Action label={words.block} sure={words.sureBlock(name)} act={block(id, true)} />
                    )}{" "}
                    <Action label={words.forget} sure={words.sureForget(name)} act={forget(id)} />
                  </>
                ),
            },
          ]}
        />
      )}
      <More act={fetchMore} />
    </>
  );
}
