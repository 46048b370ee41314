/** Long responses are sent in slices that are produced as they are sent and add up to the response. */
import * as v from "valibot";
import { expect, test, vi } from "vitest";
import { RawJson } from "../../../src/base/json/json.ts";
import { objectData, rawData, textData } from "../../../src/http/answer/json-data.ts";
import { sendPieces, slicesOf } from "../../../src/http/answer/send-answer.ts";
import { route } from "../../../src/http/route.ts";
import { createAdmission } from "../../../src/limits/admission.ts";
import { createApp, keys } from "../doubles/fixtures.ts";

test.each([
  ["nothing", ""],
  ["a short text", "a"],
  [
    "characters of two halves, on every place of a slice's end",
    "a".repeat(262_143) + "\u{1f600}".repeat(300_000),
  ],
  ["letters of one byte", "x".repeat(1_000_000)],
])("%s", (_, text) => {
  const parts = [...slicesOf(text)];
  expect(Buffer.concat(parts).equals(Buffer.from(text))).toBe(true);
  for (const part of parts) expect(part.length).toBeLessThanOrEqual(4 * 262_145);
});

const long = 'a "quoted" line\n'.repeat(200_000);

test.each([
  ["a text", textData(long), JSON.stringify(long)],
  ["JSON text", rawData(JSON.stringify([long])), JSON.stringify([long])],
  [
    "an object with JSON text in it",
    objectData({ id: "x", result: new RawJson(JSON.stringify(long)), none: undefined }),
    JSON.stringify({ id: "x", result: long }),
  ],
])("the pieces of %s form its JSON", (_, data, json) => {
  expect([...data.pieces(65_536)].join("")).toBe(json);
  expect(data.bytes).toBeGreaterThanOrEqual(long.length);
});

test("a character beyond Latin-1 doubles the counted size of a text", () => {
  expect(textData("abc").bytes).toBe(3);
  expect(textData("ab\u2192").bytes).toBe(6);
});

test("a caller that leaves while a piece is made for it is no error", async () => {
  const made = Promise.withResolvers<void>();
  const { app, lines } = createApp({}, {}, [
    route({
      ...{ id: "slow", method: "GET", path: "/slow", scope: "read", summary: "Slow", answer: v.string() },
      handle: (call) =>
        sendPieces(
          (async function* () {
            yield "first";
            await made.promise;
            yield "second";
          })(),
          call,
        ),
    }),
  ]);
  const { body } = await app.fetch(
    new Request("http://patchbay.example/slow", { headers: { "x-api-key": keys.admin } }),
    { from: null, extendTimeout() {}, restoreTimeout() {} },
  );
  const reader = body?.getReader();
  for (let read = ""; !read.includes("first"); )
    read += new TextDecoder().decode((await reader?.read())?.value);
  const next = reader?.read();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const left = reader?.cancel();
  made.resolve();
  await left;
  expect(await next).toMatchObject({ done: true });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
});

test("creates nothing that is not read, and counts it until the reader leaves", async () => {
  const admission = createAdmission();
  const { app } = createApp({ render: async () => ({ text: long }) }, { admission });
  const escaped = vi.spyOn(JSON, "stringify");
  const response = await app.fetch(
    new Request("http://patchbay.example/template/render", {
      method: "POST",
      headers: { "x-api-key": keys.admin },
      body: '{"template":"x"}',
    }),
    { from: null, extendTimeout() {}, restoreTimeout() {} },
  );
  const reader = response.body?.getReader();
  await reader?.read();
  const made = escaped.mock.calls.filter(([value]) => String(value).length > 10_000);
  escaped.mockRestore();
  expect(made.length).toBeLessThan(4);
  expect(admission.bytes.held()).toBeGreaterThanOrEqual(long.length);
  await reader?.cancel();
  expect(admission.bytes.held()).toBe(0);
});
