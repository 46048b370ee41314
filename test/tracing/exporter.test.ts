/** Spans wait in a bounded queue, and are retried if the receiver was busy. */
import { expect, test } from "vitest";
import { startReceiver } from "../../src/testkit/receiver.ts";
import { createExporter } from "../../src/tracing/exporter.ts";
import type { Span } from "../../src/tracing/otlp.ts";

const span: Span = {
  traceId: "ab".repeat(16),
  spanId: "cd".repeat(8),
  parentSpanId: undefined,
  name: "job",
  kind: "internal",
  startMs: 1_700_000_000_000,
  endMs: 1_700_000_000_001.5,
  attributes: { text: "a", count: 3, share: 0.5, flag: true, none: undefined },
  error: undefined,
};
const options = { headers: {}, service: { "service.name": "patchbay" }, onState() {}, everyMs: 5 };

test("spans beyond the queue limit are dropped, and queued ones are sent on stop", async () => {
  const receiver = await startReceiver(200);
  const exporter = createExporter({ ...options, url: receiver.url, maxQueued: 3, everyMs: 60_000 });
  for (let at = 0; at < 5; at++) exporter.add(span);
  await exporter.stop();
  expect(exporter.counts()).toEqual({ sent: 3, dropped: 2 });
  receiver.close();
});

test("a busy receiver is retried, and reported as unavailable once", async () => {
  const receiver = await startReceiver(503);
  const states: boolean[] = [];
  const exporter = createExporter({
    ...options,
    url: receiver.url,
    onState: (working) => states.push(working),
  });
  exporter.add(span);
  await receiver.got(3);
  expect(exporter.counts()).toEqual({ sent: 0, dropped: 0 });
  expect(states).toEqual([false]);
  await exporter.stop();
  expect(exporter.counts().dropped).toBe(1);
  receiver.close();
});

test("spans are sent in OTLP format", async () => {
  const receiver = await startReceiver(200);
  const exporter = createExporter({ ...options, url: receiver.url });
  exporter.add(span);
  await receiver.got(1);
  await exporter.stop();
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                kind: 1,
                startTimeUnixNano: "1700000000000000000",
                endTimeUnixNano: "1700000000001500000",
                attributes: [
                  { key: "text", value: { stringValue: "a" } },
                  { key: "count", value: { intValue: "3" } },
                  { key: "share", value: { doubleValue: 0.5 } },
                  { key: "flag", value: { boolValue: true } },
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  receiver.close();
});
