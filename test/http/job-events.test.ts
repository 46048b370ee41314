/** GET /job/{id}/events: how events are written, and how many streams a key may hold. */
import { expect, test } from "vitest";
import { createHttpApp } from "../../src/http/app.ts";
import type { Jobs } from "../../src/jobs/port.ts";
import { createAdmission } from "../../src/queue/admission.ts";
import { callerWith, createApp, fakeJobs, keys, noFiles, noMetrics } from "./fixtures.ts";

test("an event is a block, with its position where there is one", async () => {
  const { send } = createApp({
    async *watch() {
      yield { kind: "state", status: "queued", position: undefined };
      yield { kind: "output", text: "a\nb", missed: 0, position: { attempt: 1, at: 3 } };
      yield { kind: "output", text: "c", missed: 7, position: { attempt: 1, at: 11 } };
    },
  });
  const answer = await send("/job/j1/events");
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(answer.text).toBe(
    [
      'event: state\ndata: {"id":"j1","status":"queued"}\n\n',
      'id: 1:3\nevent: output\ndata: {"text":"a\\nb"}\n\n',
      'id: 1:11\nevent: output\ndata: {"text":"c","missed":7}\n\n',
    ].join(""),
  );
});

/** Waits for news that never come, as most readers do most of the time. */
const silent: Jobs["watch"] = async function* (_id, _caller, _after, signal) {
  yield { kind: "state", status: "running", position: undefined };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

test("a key holds 500 streams at most; one that is left makes room", async () => {
  const admission = createAdmission();
  const app = createHttpApp({
    jobs: fakeJobs({ watch: silent }),
    authenticate: async () => callerWith("read", null),
    authenticateSession: async () => undefined,
    forgetSession() {},
    consoleFiles: async () => [],
    log: { debug() {}, info() {}, warn() {}, error() {} },
    admission,
    files: noFiles,
    apiVersion: "0.2",
    pluginSchemas: () => ({ drivers: [], webhooks: [], credentials: [] }),
    metrics: noMetrics,
    pageFiles: { script: async () => new Uint8Array(), style: async () => new Uint8Array() },
    openDescription: false,
    openMetrics: false,
    maxBodyBytes: 10_000,
    keyInQuery: true,
    behindProxy: false,
  });
  const open = () =>
    app.fetch(new Request("http://patchbay.example/job/j1/events", { headers: { "X-API-KEY": keys.read } }), {
      from: null,
      extendTimeout() {},
      restoreTimeout() {},
    });
  const answers = await Promise.all(Array.from({ length: 500 }, open));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  const refused = await open();
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "1"]);
  await answers[0]?.body?.cancel();
  expect(admission.streams.held()).toBe(499);
  const again = await open();
  expect(again.status).toBe(200);
  for (const { body } of [...answers.slice(1), again]) await body?.cancel();
  expect(admission.streams.held()).toBe(0);
});
