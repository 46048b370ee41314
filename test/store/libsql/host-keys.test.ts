/** The host key cache: a read that overlaps a change does not cache the old value. */
import { expect, test } from "vitest";
import { temporary } from "../../support/temporary.ts";
import { closeStore, openStore } from "../support.ts";

const key = (fingerprint: string) => ({ type: "ssh-ed25519", fingerprint });

test("a host key deleted during a read is not cached by that read", async () => {
  const folder = temporary();
  let gate: Promise<void> | undefined;
  const store = await openStore(
    { directory: folder.path },
    {
      wrap: (link) => ({
        ...link,
        async read(statement) {
          const rows = await link.read(statement);
          // The response is in flight while the key is deleted.
          if (/from host_keys/.test(statement.sql)) await gate;
          return rows;
        },
      }),
    },
  );
  const { hostKeys } = store;
  await hostKeys.learn("r1", 22, key("old"));
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  const reading = hostKeys.known("r1", 22);
  expect(await hostKeys.forget("r1", undefined, { keyId: "k1", name: "ops", from: null })).toBe(1);
  opened.resolve();
  expect(await reading).toEqual([key("old")]);
  expect(await hostKeys.known("r1", 22)).toEqual([]);
  // A key learned meanwhile is included as well.
  const again = Promise.withResolvers<void>();
  await hostKeys.learn("r1", 22, { ...key("rsa"), type: "ssh-rsa" });
  gate = again.promise;
  const before = hostKeys.known("r1", 22);
  await hostKeys.learn("r1", 22, key("new"));
  again.resolve();
  await before;
  const types = (await hostKeys.known("r1", 22)).map(({ type }) => type);
  expect(types.toSorted()).toEqual(["ssh-ed25519", "ssh-rsa"]);
  await closeStore(store);
  folder.remove();
});
