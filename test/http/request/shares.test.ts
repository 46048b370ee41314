/** Limits count by person: many keys of one person have one share, and keys of machines one each. */
import { expect, test } from "vitest";
import { shareOf } from "../../../src/auth/caller.ts";
import type { Caller } from "../../../src/auth/port.ts";
import { createAdmission, ordinaryLimits } from "../../../src/limits/admission.ts";
import { createApp } from "../doubles/fixtures.ts";

const person = { id: "p1", name: "anna" };
const ofKey = (keyId: string, more: Partial<Caller> = {}): Caller => ({
  ...{ keyId, name: keyId, scope: "read", hosts: [], from: null },
  ...more,
});
const callers: Readonly<Record<string, Caller>> = {
  laptop: ofKey("laptop", { person }),
  script: ofKey("script", { person }),
  session: ofKey("p1", { person, sessionId: "s" }),
  other: ofKey("other", { person: { id: "p2", name: "berta" } }),
  machine: ofKey("machine"),
};

function appWith(rate: { readonly perSecond: number; readonly burst: number }, perKey = 1_000) {
  const limits = { ...ordinaryLimits, rate, requests: { inAll: 2_000, perKey } };
  return createApp({}, { admission: createAdmission(limits), authenticate: async (key) => callers[key] });
}

test("keys and sessions of one person spend from one rate, whichever of them asks", async () => {
  const { send } = appWith({ perSecond: 0.001, burst: 3 });
  const statuses: Record<string, number> = {};
  for (const key of ["laptop", "script", "session", "laptop", "script", "session"]) {
    const { status } = await send("/health", { key });
    statuses[`${key} ${Object.keys(statuses).length}`] = status;
  }
  expect(Object.values(statuses)).toEqual([200, 200, 200, 429, 429, 429]);
  for (const key of ["other", "machine"]) expect((await send("/health", { key })).status).toBe(200);
});

test("requests under way count by person, too", async () => {
  const admission = createAdmission({ ...ordinaryLimits, requests: { inAll: 10, perKey: 2 } });
  const { laptop, script, session, machine } = callers;
  if (!laptop || !script || !session || !machine) throw new Error("no callers");
  const leave = admission.requests.take(shareOf(laptop));
  admission.requests.take(shareOf(script));
  expect(() => admission.requests.take(shareOf(session))).toThrow("too many requests under way");
  admission.requests.take(shareOf(machine));
  leave();
  admission.requests.take(shareOf(session));
});
