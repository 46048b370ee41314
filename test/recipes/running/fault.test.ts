/** The reason of a step whose jobs have failed. */
import { expect, test } from "vitest";
import { faultOf } from "../../../src/recipes/running/fault.ts";

type Tools = Parameters<typeof faultOf>[3];
const failing = (jobs: readonly (readonly [device: string, type: string])[]) =>
  ({
    owner: {},
    jobs: {
      page: async () => ({
        pieces: (async function* () {
          yield jobs.map(([device, type]) => ({ device, host: "192.0.2.1", result: { error: { type } } }));
        })(),
      }),
    },
  }) as unknown as Tools;

test("it names the types of errors, the most frequent first, with their first devices", async () => {
  const tools = failing([
    ...["sw2", "sw1"].map((device) => [device, "AuthenticationFailed"] as const),
    ...["a", "b", "c", "d", "e", "f", "g"].map((device) => [device, "ConnectionFailed"] as const),
  ]);
  const counts = { total: 12, failed: 9, cancelled: 1 };
  const types = { error_types: { AuthenticationFailed: 2, ConnectionFailed: 7 } };
  expect(await faultOf("b", counts, types, tools)).toBe(
    "10 of 12 jobs have not finished: 9 failed (ConnectionFailed 7: a, b, c, d, e and 2 more; AuthenticationFailed 2: sw1, sw2), 1 cancelled",
  );
});

test("one that was cancelled alone has no cause, and one that has finished no fault", async () => {
  const none = { error_types: {} };
  const tools = failing([]);
  expect(await faultOf("b", { total: 2, failed: 0, cancelled: 2 }, none, tools)).toBe(
    "2 of 2 jobs have not finished: 2 cancelled",
  );
  expect(await faultOf("b", { total: 2, failed: 0, cancelled: 0 }, none, tools)).toBeNull();
});
