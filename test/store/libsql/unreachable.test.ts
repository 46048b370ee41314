/**
 * Every call to a store that does not answer fails as unavailable, and the error repeats none of its
 * arguments.
 */
import { expect, test } from "vitest";
import { closeStore, makePlace, openStore } from "../support.ts";

test("every store call fails as Unavailable if the server does not answer, without quoting values", async () => {
  const place = await makePlace("file");
  let reachable = true;
  const store = await openStore(place, {
    patienceMs: 500,
    wrap: (link) => {
      const guard = <A, R>(call: (asked: A) => Promise<R>) => {
        return async (asked: A) => {
          if (!reachable) throw new DOMException("The operation timed out.", "TimeoutError");
          return call(asked);
        };
      };
      return { ...link, read: guard(link.read), batch: guard(link.batch) };
    },
  });
  const key = { name: "one", key: "canary-key", scope: "admin", hosts: [] };
  const device = { type: "ssh-ed25519", fingerprint: "SHA256:x" };
  const caller = { keyId: "k1", name: "admin", from: null };
  const calls: Record<string, () => Promise<unknown>> = {
    "keys.find": () => store.keys.find("canary-key"),
    "keys.list": () => store.keys.list(),
    "keys.add": () => store.keys.add(key, caller),
    "keys.revoke": () => store.keys.revoke("one", caller),
    "hostKeys.known": () => store.hostKeys.known("h1", 22),
    "hostKeys.learn": () => store.hostKeys.learn("h1", 22, device),
    "hostKeys.forget": () => store.hostKeys.forget("h1", undefined, { keyId: "k1", name: "ops", from: null }),
    "jobs.page": () => store.jobs.page({ ids: ["x"] }, 1),
    "jobs.statusesOf": () => store.jobs.statusesOf(["x"]),
    "jobs.unfinishedOf": () => store.jobs.unfinishedOf("x"),
    "jobs.lanesAfter": () => store.jobs.lanesAfter(0),
    "deliveries.statesOf": () => store.deliveries.statesOf(["x"]),
    "workers.requestStop": () => store.workers.requestStop(["x"]),
    "workers.takeStopRequests": () => store.workers.takeStopRequests("n1"),
    "audit.add": () => store.audit.add({ caller, action: "key.add", outcome: "done" }),
    "audit.page": () => store.audit.page({}, 1),
    findAnswer: () => store.idempotency.findAnswer("k1", "key"),
  };
  reachable = false;
  const errors = await Promise.all(
    Object.entries(calls).map(async ([name, ask]) => [name, await ask().catch((error) => error)] as const),
  );
  reachable = true;
  for (const [name, error] of errors) {
    expect(error, name).toMatchObject({ kind: "Unavailable", detail: { retryAfter: expect.any(Number) } });
    expect(String(error), name).not.toMatch(/canary|select|SHA256/i);
  }
  await closeStore(store);
  await place.remove();
});
