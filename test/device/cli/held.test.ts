/** While a device is not read, because its key holds too much, none of its time limits runs and no silence counts. */
import { expect, test } from "vitest";
import { pause } from "../../../src/base/time/deadline.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import { type FakeStream, fakeStream } from "./fake-stream.ts";
import { openOptions } from "./open-options.ts";
import { testContext } from "./test-context.ts";

/** A router whose output stops after `first`, and is not read from then on. */
async function heldRouter(first: string, readTimeoutMs: number) {
  let since: number | undefined;
  let heldMs = 0;
  const stream: FakeStream = fakeStream((text) => {
    if (!text.startsWith("show tech")) return stream.feed(`${text.trim()}\r\nR1#`);
    since = performance.now();
    stream.feed(`show tech\r\n${first}`);
  });
  stream.feed("R1#");
  const counted = {
    ...stream,
    heldMs: () => heldMs + (since === undefined ? 0 : performance.now() - since),
  };
  const session = await openCliSession(openOptions(counted, { readTimeoutMs }), testContext());
  const goOn = (text: string) => {
    heldMs = counted.heldMs();
    since = undefined;
    stream.feed(text);
  };
  return { session, goOn, written: stream.written };
}

test("the read timeout does not run", async () => {
  const { session, goOn } = await heldRouter("line 1\r\n", 300);
  const output = session.send("show tech", {}, testContext());
  await pause(1_000);
  goOn("line 2\r\nR1#");
  expect(await output).toBe("line 1\nline 2");
});

test("nor does the limit of a whole command", async () => {
  const { session, goOn } = await heldRouter("line 1\r\n", 300);
  const output = session.send("show tech", { readTimeoutMs: 300 }, testContext());
  await pause(1_000);
  goOn("line 2\r\nR1#");
  expect(await output).toBe("line 1\nline 2");
});

test("a line like a prompt is no end, since nothing could follow it", async () => {
  const { session, goOn, written } = await heldRouter("line 1\r\nR2#", 20_000);
  const before = written.length;
  const output = session.send("show tech", {}, testContext());
  await pause(500);
  // Nor is it asked for a prompt.
  expect(written.slice(before)).toEqual(["show tech\n"]);
  goOn(" is the name\r\nline 3\r\nR1#");
  expect(await output).toBe("line 1\nR2# is the name\nline 3");
});

test("after that they run again", async () => {
  const { session, goOn } = await heldRouter("line 1\r\n", 300);
  const output = session.send("show tech", {}, testContext());
  output.catch(() => {});
  await pause(600);
  goOn("line 2\r\n");
  await expect(output).rejects.toMatchObject({ kind: "ReadTimeout" });
});
