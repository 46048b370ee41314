/** Why the service is not ready: each reason as a sentence, never the database's own message. */
import { expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { createReadiness, requireReady } from "../../src/jobs/readiness.ts";

const store = {
  full: () => false,
  probe: async () => {},
  doubts: async (): Promise<readonly string[]> => [],
};
const ready = (more: Partial<typeof store> = {}, reasons: string[] = []) =>
  createReadiness({ store: { ...store, ...more }, notReady: () => reasons })();

test("readiness reports each reason: stopping, full, or no store", async () => {
  expect(await ready()).toEqual({ ready: true, reasons: [], doubts: [] });
  const doubts = async () => ["synchronous_commit is off"];
  expect(await ready({ doubts })).toMatchObject({ ready: true, doubts: ["synchronous_commit is off"] });
  expect(await ready({ full: () => true }, ["the service is stopping"])).toEqual({
    ready: false,
    reasons: ["the service is stopping", "storage full"],
    doubts: [],
  });
  const noAnswer = () => Promise.reject(new ServiceError("Unavailable", "The store did not answer in time."));
  expect((await ready({ probe: noAnswer })).reasons).toEqual(["The store did not answer in time."]);
  const broken = () => Promise.reject(new Error("SQLITE_CANTOPEN: /secret/path"));
  expect((await ready({ probe: broken })).reasons).toEqual(["the store failed"]);
});

test("a node that is not ready rejects work with the first reason", () => {
  expect(() => requireReady({ notReady: () => [] })).not.toThrow();
  expect(() => requireReady({ notReady: () => ["a", "b"] })).toThrow("No work is accepted now: a.");
});
