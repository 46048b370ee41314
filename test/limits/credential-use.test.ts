/** Waiting jobs of a key run as long as the key is valid, with a credential or their own password. */
import { beforeEach, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { createCredentialUse } from "../../src/limits/credential-use.ts";
import type { Credentials, NewAuditEntry, StoredKey } from "../../src/store/port.ts";
import { keyHolders } from "../support/holders.ts";

function credentialsUsed(onUse: (entry: NewAuditEntry) => void = () => {}): Credentials {
  const unused = async () => {
    throw new Error("not used here");
  };
  return {
    ...{ set: unused, list: unused, open: unused, remove: unused },
    used: async (_name, entry) => onUse(entry),
  };
}

type Key = StoredKey;

const now = 1_700_000_000_000;
const inForce: Key = {
  ...{ id: "k1", name: "ops", scope: "operate", hosts: [], credentials: null, recipes: null, rights: null },
  ...{ createdAt: 0, expiresAt: null, lastUsedAt: null, revokedAt: null, personId: null },
};
let key: Key | undefined;
let looks: number;
let use: ReturnType<typeof createCredentialUse>;

beforeEach(() => {
  key = inForce;
  looks = 0;
  const keys = {
    async byId() {
      looks++;
      if (key === undefined) throw new ServiceError("Unavailable", "The store is away.");
      return key;
    },
  };
  use = createCredentialUse(
    { credentials: credentialsUsed() },
    keyHolders(keys, () => now),
  );
});
const note = (keyId = "k1") => use.note({ keyId, credential: undefined, host: "r1", jobId: "j1" });

test("concurrent jobs of a valid key share one lookup of the key", async () => {
  await note();
  await note();
  expect(looks).toBe(1);
});

test.each([
  ["was revoked", { revokedAt: now - 1 }],
  ["has expired", { expiresAt: now - 1 }],
])("jobs of a key that %s are rejected, even without a credential", async (why, gone) => {
  key = { ...inForce, ...gone };
  await expect(note()).rejects.toMatchObject({
    kind: "Forbidden",
    message: `The API key of this request ${why}: no further work is done for it.`,
    detail: { outcome: "none" },
  });
});

test("a store that does not answer does not invalidate a key", async () => {
  key = undefined;
  await note();
  key = { ...inForce, revokedAt: now - 1 };
  await expect(note()).rejects.toMatchObject({ kind: "Forbidden" });
});

const core = { name: "file:core", kept: true };

/** @returns what reading the task does: the key that is recorded as having used the credential, or the refusal */
async function readBy(reader: Partial<Key>, starter: Partial<Key>): Promise<string> {
  const keysById: Record<string, Key> = {
    reader: { ...inForce, ...reader, id: "reader", name: "reader" },
    starter: { ...inForce, ...starter, id: "starter", name: "starter" },
  };
  const users: string[] = [];
  const shared = createCredentialUse(
    { credentials: credentialsUsed((entry) => void users.push(entry.caller.name)) },
    keyHolders({ byId: async (id) => keysById[id] }, () => now),
  );
  try {
    await shared.noteShared({ keyId: "reader", credential: core, host: "r1" }, "starter");
  } catch (error) {
    return error instanceof ServiceError ? error.message : String(error);
  }
  return users.join();
}

const refusal = "This API key or person may not use the credential file:core.";
const limited = { hosts: ["r1"] };
test.each([
  ["a reader without the credential reads a task whose starter may use it", limited, {}, "reader"],
  [
    "a reader without the credential cannot read a task whose starter lost it",
    limited,
    { credentials: ["file:lab"] },
    refusal,
  ],
  [
    "a reader without the credential cannot read a task whose starter was revoked",
    limited,
    { revokedAt: now - 1 },
    refusal,
  ],
  [
    "a reader without the credential cannot read a task whose starter has expired",
    limited,
    { expiresAt: now - 1 },
    refusal,
  ],
  [
    "a reader that may use the credential reads a task whose starter was revoked",
    { credentials: ["file:core"], ...limited },
    { revokedAt: 1 },
    "reader",
  ],
  [
    "a reader that may use every credential reads a task whose starter lost it",
    {},
    { credentials: [] },
    "reader",
  ],
  [
    "a revoked reader cannot read a task whose starter was revoked",
    { revokedAt: now - 1 },
    { revokedAt: now - 1 },
    refusal,
  ],
])("%s", async (_title, reader, starter, expected) => {
  expect(await readBy(reader, starter)).toBe(expected);
});

test.each<[string, readonly string[], readonly string[], string[], string | undefined]>([
  ["a device that still fits", ["select:site:ber"], ["r1"], ["r1", "r2"], undefined],
  ["a device that fits no more", ["select:site:ber"], ["r1"], ["r2"], "r1"],
  ["a jump host that fits no more", ["select:site:ber"], ["r1", "hop"], ["r1"], "hop"],
  ["a device that another pattern allows", ["select:site:ber", "r*"], ["r*"], [], undefined],
  ["a key without selectors", ["r9"], ["r9"], [], undefined],
])(
  "the selectors of a key are applied again when its job runs: %s",
  async (_what, hosts, reach, now, lost) => {
    const stored = { ...inForce, hosts };
    const again = createCredentialUse(
      { credentials: credentialsUsed() },
      keyHolders({ byId: async () => stored }, () => 0),
      async () => new Set(now),
    );
    for (const credential of [undefined, core]) {
      const use = { keyId: "k1", credential, host: "r1", jobId: "j1", reach };
      const noted = again.note(credential ? { ...use, credential: { ...core, kept: false } } : use);
      if (lost === undefined) await noted;
      else
        await expect(noted).rejects.toMatchObject({
          kind: "Forbidden",
          message: expect.stringContaining(`may no longer reach ${lost}`),
          detail: { outcome: "none" },
        });
    }
  },
);
