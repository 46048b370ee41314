/** Following a bulk: each job is reported once, even if events are missed or unavailable. */

import { parse } from "valibot";
import { expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Api } from "../../../src/client/service/api.ts";
import { followBulk } from "../../../src/client/service/follow.ts";
import { bulkDetail, jobRecord } from "../../http/doubles/records.ts";

const job = (id: string, status: string) => ({ ...jobRecord(1), id, status, host: id, ended_at: null });

/** A service whose jobs end when the test says so. */
function service(events: (signal?: AbortSignal) => Promise<Response>) {
  const states = new Map([
    ["a", "running"],
    ["b", "running"],
  ]);
  const count = (status: string) => [...states.values()].filter((state) => state === status).length;
  const record = () => ({
    ...bulkDetail,
    id: "x",
    status: count("running") > 0 ? "running" : "ended",
    ended_at: count("running") > 0 ? null : "2026-11-22T00:00:01.000+00:00",
    total: 2,
    counts: {
      ...{ queued: 0, held: 0, failed: 0, cancelled: 0 },
      running: count("running"),
      finished: count("finished"),
    },
  });
  const answer = (path: string, id: unknown) =>
    path === "/bulk/x"
      ? record()
      : [...states]
          .filter(([name]) => id === undefined || name === id)
          .map(([name, state]) => job(name, state));
  const api: Api = {
    url: "",
    call: async (path, schema, call) => parse(schema, answer(path, call?.query?.id)),
    page: async (path, schema, call) => ({ data: parse(schema, answer(path, call?.query?.id)) }),
    document: async (_path, schema) => parse(schema, {}),
    raw: () => Promise.reject(new Error("not asked")),
    stream: (_path, _call, signal) => events(signal),
  };
  return { api, end: (name: string) => void states.set(name, "finished") };
}

test.each([
  ["the service has no events", async () => Promise.reject(new ServiceError("NotFound", "no such path"))],
  ["the event stream is silent", async () => new Response(": alive\n\n")],
])("each job of a bulk is reported once when it ends, even if %s", async (_name, events) => {
  const { api, end } = service(events);
  const endedIds: string[] = [];
  const counted: number[] = [];
  const followed = followBulk(
    api,
    "x",
    {
      ended: async ({ id }) => void endedIds.push(id),
      counted: ({ counts }) => void counted.push(counts.finished),
    },
    new AbortController().signal,
  );
  await expect.poll(() => counted.length).toBeGreaterThan(0);
  end("b");
  await expect.poll(() => endedIds).toEqual(["b"]);
  end("a");
  expect((await followed).counts.finished).toBe(2);
  expect(endedIds).toEqual(["b", "a"]);
});

test("cancelling ends the following of a bulk", async () => {
  const { api } = service(async () => new Response(""));
  const stop = new AbortController();
  const followed = followBulk(api, "x", { counted: () => stop.abort(new Error("left")) }, stop.signal);
  await expect(followed).rejects.toThrow("left");
});
