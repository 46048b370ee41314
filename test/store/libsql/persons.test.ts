/** How many persons are known. */
import { expect, test } from "vitest";
import { personLimits } from "../../../src/api/access/person.ts";
import type { Connection } from "../../../src/store/libsql/database/connection.ts";
import { operator } from "../contract/fixture.ts";
import { closeStore, makePlace, openStore } from "../support.ts";

test("there are at most so many persons, and one who is forgotten makes room", async () => {
  const place = await makePlace("file");
  let raw: Connection | undefined;
  const store = await openStore(place, { wrap: (connection) => (raw = connection) });
  const anna = { issuer: "https://id.example.net", subject: "s-1", name: "anna", email: null, groups: [] };
  const first = await store.persons.signIn(anna, null);
  await raw?.batch([
    {
      sql: `with recursive n(n) as (select 1 union all select n + 1 from n where n < :most - 1)
insert into persons (id, issuer, subject, name, groups, created_at, signed_in_at)
select 'p' || n, 'https://id.example.net', 'o-' || n, 'o' || n, '[]', 1, 1 from n`,
      args: { most: personLimits.most },
    },
  ]);
  const another = { ...anna, subject: "s-2", name: "bert" };
  expect(await store.persons.signIn(another, null)).toBeUndefined();
  expect((await store.persons.signIn(anna, null))?.id).toBe(first?.id);
  await store.persons.forget(first?.id ?? "", operator);
  expect(await store.persons.signIn(another, null)).toMatchObject({ name: "bert" });
  expect(await store.persons.signIn({ ...anna, subject: "s-3" }, null)).toBeUndefined();
  await closeStore(store);
  await place.remove();
});
