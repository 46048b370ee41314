/** Waiting jobs of a key run as long as the key is valid, with a credential or their own password. */
import { beforeEach, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { createCredentialUse } from "../../src/queue/credential-use.ts";
import type { StoredKey } from "../../src/store/port.ts";

type Key = StoredKey;

const now = 1_700_000_000_000;
const inForce: Key = {
  ...{ id: "k1", name: "ops", scope: "operate", hosts: [], credentials: null },
  ...{ createdAt: 0, expiresAt: null, lastUsedAt: null, revokedAt: null },
};
let key: Key | undefined;
let looks: number;
let use: ReturnType<typeof createCredentialUse>;

beforeEach(() => {
  key = inForce;
  looks = 0;
  use = createCredentialUse({
    keys: {
      async byId() {
        looks++;
        if (key === undefined) throw new ServiceError("Unavailable", "The store is away.");
        return key;
      },
    },
    clock: { wall: () => now },
  } as unknown as Parameters<typeof createCredentialUse>[0]);
});
const note = (keyId = "k1") => use.note({ keyId, credential: undefined, host: "r1", jobId: "j1" });

test("of a key in force all is done, and its jobs look once together", async () => {
  await note();
  await note();
  expect(looks).toBe(1);
});

test.each([
  ["was revoked", { revokedAt: now - 1 }],
  ["has expired", { expiresAt: now - 1 }],
])("of one that %s nothing is done any more, though it named no credential", async (why, gone) => {
  key = { ...inForce, ...gone };
  await expect(note()).rejects.toMatchObject({
    kind: "Forbidden",
    message: `The API key of this request ${why}: no further work is done for it.`,
    detail: { outcome: "none" },
  });
});

test("a store that does not answer revokes nothing", async () => {
  key = undefined;
  await note();
  key = { ...inForce, revokedAt: now - 1 };
  await expect(note()).rejects.toMatchObject({ kind: "Forbidden" });
});
