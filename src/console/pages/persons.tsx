/** Persons who have signed in: what each may do, and who is blocked. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { limitsInWords } from "../../api/person.ts";
import { ask, me, type Page, page } from "../api.ts";
import { useLoad } from "../load.ts";
import { Action } from "../parts/action.tsx";
import { Problem } from "../parts/problem.tsx";
import { Table } from "../parts/table.tsx";
import { When } from "../parts/when.tsx";
import { to } from "../route.ts";
import { type Person, person } from "../shapes-persons.ts";
import { text } from "../text.ts";

const words = text.persons;
const pageSize = 200;

export function PersonsPage() {
  const first = useLoad((signal) => page(v.array(person), `/person?limit=${pageSize}`, { signal }), []);
  const [more, setMore] = useState<Page<Person[]>>();
  const rows = [...(first.data?.data ?? []), ...(more?.data ?? [])];
  const next = more === undefined ? first.data?.next : more.next;
  const fetchMore = async () => {
    const further = await page(
      v.array(person),
      `/person?limit=${pageSize}&cursor=${encodeURIComponent(next ?? "")}`,
    );
    setMore({ ...further, data: [...(more?.data ?? []), ...further.data] });
  };
  const changed = () => {
    setMore(undefined);
    first.reload();
  };
  const block = (id: string, blocked: boolean) => async () => {
    await ask(v.unknown(), `/person/${encodeURIComponent(id)}`, { method: "PATCH", body: { blocked } });
    changed();
  };
  const forget = (id: string) => async () => {
    await ask(v.unknown(), `/person/${encodeURIComponent(id)}/forget`, { method: "POST" });
    changed();
  };
  return (
    <>
      <h1>{text.nav.persons}</h1>
      <p class="faint">{words.hint}</p>
      <Problem error={first.error} />
      {first.data && (
        <Table
          caption={text.nav.persons}
          rows={rows}
          keyOf={({ id }) => id}
          empty={words.none}
          columns={[
            {
              head: "name",
              cell: ({ name, subject }) => (
                <span class="cut brief" title={subject}>
                  {name}
                </span>
              ),
            },
            { head: "email", cell: ({ email }) => email },
            { head: "state", cell: ({ state }) => state.replace("_", " ") },
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
            { head: "groups", cell: ({ groups }) => <span class="cut">{groups.join(", ")}</span> },
            { head: "last sign-in", cell: ({ signed_in_at }) => <When at={signed_in_at} /> },
            {
              head: "",
              cell: ({ id, name, state }) =>
                state !== "forgotten" &&
                name !== me.value?.person && (
                  <>
                    {state === "blocked" ? (
                      <Action label={words.unblock} act={block(id, false)} />
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
      {next !== undefined && <Action label={text.more} act={fetchMore} />}
    </>
  );
}
