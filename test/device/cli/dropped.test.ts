/** Promise P10: a session dropped at any byte of a push is never reported as done, and reports its progress. */

import { expect, test } from "vitest";
import { openCliSession } from "../../../src/device/cli/session.ts";
import { fakeDevice } from "./fake-device.ts";
import { fakeStream } from "./fake-stream.ts";
import { openOptions, patient, push } from "./open-options.ts";
import { testContext } from "./test-context.ts";

const lines = Array.from({ length: 40 }, (_, at) =>
  at % 5 === 0 ? `interface Lo${at}` : ` description ${at}`,
);

/** @param bytes number of bytes of the device's output in the push until the stream is lost */
async function pushUntilLost(bytes: number) {
  const device = fakeDevice();
  let left = Number.POSITIVE_INFINITY;
  let total = 0;
  const { stream } = device;
  const feed = stream.feed;
  stream.feed = (data) => {
    const chunk = typeof data === "string" ? new TextEncoder().encode(data) : data;
    if (left === Number.POSITIVE_INFINITY) return feed(chunk);
    total += chunk.length;
    feed(chunk.slice(0, left));
    left -= chunk.length;
    if (left <= 0) stream.lose();
  };
  const ctx = testContext();
  const session = await openCliSession(openOptions(stream, patient), ctx);
  left = bytes;
  const outcome = await session.configure(lines, push, ctx).then(
    () => "done" as const,
    (error) => error,
  );
  await session.close();
  return { outcome, total, typed: device.lines };
}

test("P10: a push whose session drops at any byte is not finished, and reports its progress", async () => {
  const whole = await pushUntilLost(1_000_000);
  expect(whole.outcome).toBe("done");
  const offsets = Array.from({ length: whole.total }, (_, at) => at);
  for (let from = 0; from < offsets.length; from += 50) {
    const results = await Promise.all(
      offsets.slice(from, from + 50).map((at) => pushUntilLost(Math.max(1, at))),
    );
    for (const { outcome, typed } of results) {
      expect(outcome).toMatchObject({ kind: "ConnectionLost" });
      const { sent = [], confirmed } = outcome.detail ?? {};
      // The lines reported as sent are what the device received, in order; the confirmed line is one of the
      // last two.
      const entered = typed.filter((line) => lines.includes(line));
      expect(sent).toEqual(entered);
      if (entered.length > 0) expect(outcome.detail.outcome).toBe("unknown");
      if (entered.length > 1) expect(entered.slice(-2)).toContain(confirmed);
    }
  }
});

test("a session that ends before its first prompt says what the device gave as the reason", async () => {
  const stream = fakeStream(() => {});
  const opening = openCliSession(openOptions(stream, patient), testContext());
  stream.feed("Welcome to R1\n\nExiting: failed to connect to any daemons.\nHint: ask an administrator\n");
  stream.lose();
  await expect(opening).rejects.toMatchObject({
    kind: "ConnectionLost",
    message: expect.stringContaining(
      'said "Exiting: failed to connect to any daemons.", "Hint: ask an administrator".',
    ),
  });
});
