/** Event streams: the event format, the number of streams per key, and when one is closed. */
import { afterEach, expect, test, vi } from "vitest";
import type { VersionRecord } from "../../../src/api/history/history.ts";
import type { Events, StreamEvent, StreamPosition } from "../../../src/events/port.ts";
import type { HistoryFeed } from "../../../src/history/port.ts";
import type { HttpOptions } from "../../../src/http/port.ts";
import { createAdmission, ordinaryLimits } from "../../../src/limits/admission.ts";
import { callerWith, createApp, keys } from "../doubles/fixtures.ts";
import { noEvents } from "../doubles/no-events.ts";

const jobId = "0198c0de-0000-7000-8000-00000000abcd";
const job = {
  ...{ jobId, bulkId: null, host: "r1", caller: "k1", errorType: null, attempt: 1, node: "n1", at: 0 },
  ...{ dryRun: null, device: null, submitterKind: null, submitter: null },
};
const position: StreamPosition = { log: { n: 7, jobId } };

const giving = (...all: StreamEvent[]): Partial<Events> => {
  async function* give() {
    yield* all;
  }
  return { ofAll: give, ofBulk: give, ofJob: give };
};

const appGiving = (...all: StreamEvent[]) => createApp({}, { events: { ...noEvents, ...giving(...all) } });

test("formats a job's events as blocks with their positions", async () => {
  const { send } = appGiving(
    { kind: "state", job: { ...job, status: "held", attempt: 0 }, position },
    { kind: "changes", changes: [{ ...job, n: 8, status: "running" }] },
    {
      kind: "output",
      id: jobId,
      text: "a\nb",
      missed: 0,
      position: { ...position, output: { attempt: 1, at: 3 } },
    },
    {
      kind: "output",
      id: jobId,
      text: "c",
      missed: 7,
      position: { ...position, output: { attempt: 1, at: 11 } },
    },
    { kind: "progress", id: jobId, done: 1, total: 9 },
    {
      kind: "changes",
      changes: [
        {
          ...job,
          n: 9,
          status: "failed",
          errorType: "ReadTimeout",
          bulkId: "b1",
          device: "ber-1",
          submitterKind: "person",
          submitter: "anna",
        },
      ],
    },
  );
  const answer = await send(`/job/${jobId}/events`);
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const at = '"at":"1970-01-01T00:00:00.000Z"';
  expect(answer.text.split("\n\n")).toEqual([
    `id: 7.0000abcd\nevent: state\ndata: {"id":"${jobId}","host":"r1","status":"queued","held":true,"attempt":0,${at}}`,
    `id: 8.0000abcd\nevent: state\ndata: {"id":"${jobId}","host":"r1","status":"running","attempt":1,${at}}`,
    'id: 7.0000abcd-1:3\nevent: output\ndata: {"text":"a\\nb"}',
    'id: 7.0000abcd-1:11\nevent: output\ndata: {"text":"c","missed":7}',
    'event: progress\ndata: {"bytes_transferred":1,"total_bytes":9}',
    `id: 9.0000abcd\nevent: state\ndata: {"id":"${jobId}","bulk_id":"b1","host":"r1","device":"ber-1","status":"failed","error_type":"ReadTimeout","attempt":1,"submitted_by":{"kind":"person","name":"anna"},${at}}`,
    "",
  ]);
});

test("names the job of each event in a bulk's stream, and says what to do at stream messages", async () => {
  const { send } = appGiving(
    { kind: "here", position },
    { kind: "output", id: "j1", text: "x", missed: 0 },
    { kind: "elsewhere", id: "j1", node: "n2" },
    { kind: "bulk", record: { id: "b1", total: 1 } },
    { kind: "reset", position },
    { kind: "slow" },
    { kind: "end", bulkId: "b1", position: { ...position, ended: true } },
  );
  const blocks = (await send("/bulk/b1/events?output=true")).text.split("\n\n");
  expect(blocks.slice(0, 2)).toEqual([
    ": alive\nid: 7.0000abcd",
    'event: output\ndata: {"id":"j1","text":"x"}',
  ]);
  expect(blocks[2]).toContain('event: elsewhere\ndata: {"id":"j1","node":"n2",');
  expect(blocks[3]).toBe('event: bulk\ndata: {"id":"b1","total":1}');
  expect(blocks[4]).toContain("id: 7.0000abcd\nevent: reset");
  expect(blocks[4]).toContain('"read":"/job?bulk_id=b1"');
  expect(blocks[5]).toContain("Last-Event-ID");
  expect(blocks[6]).toBe('id: 7.0000abcd-end\nevent: end\ndata: {"id":"b1"}');
});

test("encodes an event for many listeners once, in pieces", async () => {
  const changes = Array.from({ length: 2_000 }, (_, at) => ({
    ...job,
    n: at + 1,
    status: "queued" as const,
  }));
  const { send } = appGiving({ kind: "changes", changes });
  const [first, second] = [await send("/events"), await send("/events")];
  expect(first.text).toBe(second.text);
  expect(first.text.match(/^id: /gm)).toHaveLength(2_000);
});

test("passes parameters and positions on, and rejects wrong ones", async () => {
  const seen: unknown[][] = [];
  const remember = (...args: unknown[]): AsyncGenerator<StreamEvent> => {
    seen.push(args);
    return noEvents.ofAll({}, args.at(-1) as never);
  };
  const events: Events = { ofAll: remember, ofBulk: remember, ofJob: remember };
  const { send } = createApp({}, { events });
  const from = { "Last-Event-ID": "12.0000abcd" };
  await send("/events?bulk_id=b1&host=r1&status=failed,canceled,queued", { headers: from });
  await send("/bulk/b1/events?states=false&output=1");
  await send("/job/j1/events", { headers: { "Last-Event-ID": "12.0000abcd-2:131" } });
  expect(seen).toMatchObject([
    [
      { bulkId: "b1", host: "r1", statuses: ["failed", "cancelled", "queued", "held"] },
      { from: { log: { n: 12, jobId: "0000abcd" } } },
    ],
    ["b1", { states: false, output: true }, { from: undefined }],
    ["j1", { from: { log: { n: 12 }, output: { attempt: 2, at: 131 } } }],
  ]);
  for (const path of ["/events?status=done", "/events?since=x", "/bulk/b1/events?output=maybe"])
    expect(await send(path)).toMatchObject({ status: 422 });
  for (const wrong of ["x", "1:3", "1.abc-2", "-1.a"])
    expect(await send("/events", { headers: { "Last-Event-ID": wrong } })).toMatchObject({ status: 400 });
});

test("does not repeat a stream that was read to its end", async () => {
  const { send } = appGiving();
  const answer = await send("/bulk/b1/events", { headers: { "Last-Event-ID": "7.0000abcd-end" } });
  expect([answer.status, answer.text]).toEqual([204, ""]);
});

/** Waits for events that never come, as most readers do most of the time. */
const silent = async function* (...args: unknown[]): AsyncGenerator<StreamEvent> {
  const { signal } = args.at(-1) as { signal: AbortSignal };
  yield { kind: "here", position };
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
};
const silentEvents: Events = { ofAll: silent, ofBulk: silent, ofJob: silent };

function streamingApp(
  streams: { inAll: number; perKey: number },
  events: Events = silentEvents,
  authenticate: HttpOptions["authenticate"] = async () => callerWith("read", null),
) {
  const admission = createAdmission({ ...ordinaryLimits, streams });
  const { app } = createApp({}, { admission, events, authenticate });
  const open = (path: string) =>
    app.fetch(new Request(`http://patchbay.example${path}`, { headers: { "X-API-KEY": keys.read } }), {
      from: null,
      extendTimeout() {},
      restoreTimeout() {},
    });
  return { admission, open };
}

test("limits the streams of a key apart from its requests; a closed stream frees its slot", async () => {
  const { admission, open } = streamingApp({ inAll: 100, perKey: 60 });
  const paths = ["/job/j1/events", "/bulk/b1/events", "/events"];
  const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => open(paths[at % 3] ?? "")));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect([admission.streams.held(), admission.requests.held()]).toEqual([60, 0]);
  const refused = await open("/events");
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "1"]);
  expect(admission.requests.held()).toBe(0);
  await answers[0]?.body?.cancel();
  expect(admission.streams.held()).toBe(59);
  const again = await open("/events");
  expect(again.status).toBe(200);
  for (const { body } of [...answers.slice(1), again]) await body?.cancel();
  expect(admission.streams.held()).toBe(0);
});

test("does not wait for a listener that leaves while waiting", async () => {
  const { admission, open } = streamingApp({ inAll: 10, perKey: 10 });
  const reader = (await open("/events")).body?.getReader();
  await reader?.read();
  // The next read waits for an event.
  const next = reader?.read();
  await reader?.cancel();
  expect((await next)?.done).toBe(true);
  expect(admission.streams.held()).toBe(0);
});

afterEach(() => vi.restoreAllMocks());

test.each<[string, HttpOptions["authenticate"], number]>([
  ["is revoked", async () => undefined, 1],
  ["is given other hosts", async () => ({ ...callerWith("read", null), hosts: ["10.0.0.0/8"] }), 1],
  ["stays as it is", async () => callerWith("read", null), 3],
])("a stream whose key %s", async (_name, later, told) => {
  let authentications = 0;
  const authenticate: HttpOptions["authenticate"] = async () =>
    authentications++ === 0 ? callerWith("read", null) : later("", null);
  async function* slowly(): AsyncGenerator<StreamEvent> {
    const now = performance.now();
    for (let round = 0; round < 3; round++) {
      yield { kind: "here", position };
      // Advance 20 seconds.
      vi.spyOn(performance, "now").mockReturnValue(now + (round + 1) * 20_000);
    }
  }
  const { open } = streamingApp({ inAll: 10, perKey: 10 }, { ...silentEvents, ofAll: slowly }, authenticate);
  const text = await (await open("/events")).text();
  expect(text.match(/^id: /gm)).toHaveLength(told);
});

test("formats new versions of configurations with their positions, and resumes at one", async () => {
  const record = { device: "sw1", part: "running", version: 2 } as VersionRecord;
  const from: unknown[] = [];
  const historyFeed: HistoryFeed = {
    async *follow(filter, listening) {
      from.push(filter, listening.from);
      yield { kind: "here", n: 6 };
      yield { kind: "version", n: 7, record };
      yield { kind: "reset", n: 8 };
    },
  };
  const { send } = createApp({}, { historyFeed });
  const path = "/history/change/events?state=good";
  const answer = await send(path, { headers: { "Last-Event-ID": "6" } });
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(answer.text.split("\n\n")).toEqual([
    ": alive\nid: 6",
    'id: 7\nevent: version\ndata: {"device":"sw1","part":"running","version":2}',
    'id: 8\nevent: reset\ndata: {"message":"Events after the requested position are no longer stored.","read":"/history/change"}',
    "",
  ]);
  expect(from).toEqual([{ state: "good", select: undefined }, 6]);
  expect((await send(path, { headers: { "Last-Event-ID": "7.0000abcd" } })).status).toBe(400);
});
