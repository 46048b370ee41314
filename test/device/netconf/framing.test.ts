import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { createDeframer, endMark, type Framing, frame } from "../../../src/device/netconf/framing.ts";

/** Reads bytes that arrive in pieces. */
function read(bytes: Uint8Array, framing: Framing, pieces: readonly number[], maxBytes = 1_000_000) {
  const messages: string[] = [];
  const deframer = createDeframer({ maxBytes }, (message) => messages.push(message.toString("utf8")));
  deframer.use(framing);
  let at = 0;
  for (let turn = 0; at < bytes.byteLength; turn++) {
    const size = pieces[turn % pieces.length] ?? bytes.byteLength;
    deframer.push(bytes.subarray(at, at + size));
    at += size;
  }
  return { messages, unfinished: deframer.unfinished() };
}

/** Text full of framing characters. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom("]", ">", "]]>", "]]>]]", "\n#", "\n##\n", "#", "\n", "1", "ü", "€"),
      fc.string(),
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(""))
  .filter((joined) => joined !== "");
const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe.each(["marked", "chunked"] as const)("%s framing", (framing) => {
  test("returns the sent messages, for any chunk boundaries", () => {
    const message = framing === "marked" ? text.filter((one) => !`${one}]]>]]`.includes(endMark)) : text;
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), pieces, (messages, sizes) => {
        const bytes = Buffer.concat(messages.map((one) => Buffer.from(frame(one, framing) as string)));
        expect(read(bytes, framing, sizes)).toEqual({ messages: messages.map(asUtf8), unfinished: false });
      }),
    );
  });

  test("of any bytes yields messages or an error", () => {
    fc.assert(
      fc.property(fc.array(text), pieces, (parts, sizes) => {
        try {
          read(Buffer.from(parts.join("")), framing, sizes);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
        }
      }),
    );
  });

  test("rejects a message above the size limit", () => {
    const bytes = Buffer.from(frame("x".repeat(101), framing) as string);
    expect(() => read(bytes, framing, [7], 100)).toThrow(expect.objectContaining({ kind: "OutputTooLarge" }));
    expect(read(bytes, framing, [7], 101).messages).toHaveLength(1);
  });
});

/** Unpaired surrogates become U+FFFD in UTF-8. */
const asUtf8 = (one: string) => Buffer.from(one).toString("utf8");

test("a NETCONF chunk may end inside a character", () => {
  const bytes = Buffer.concat([
    Buffer.from("\n#1\n"),
    Buffer.from("ü").subarray(0, 1),
    Buffer.from("\n#1\n"),
    Buffer.from("ü").subarray(1),
    Buffer.from("\n##\n"),
  ]);
  expect(read(bytes, "chunked", [1]).messages).toEqual(["ü"]);
});

test.each([
  "\n#0\n",
  "\n#01\nx",
  "\n#-1\n",
  "\n#4294967296000\n",
  "\n#1x",
  "\r\n#1\n",
  "x",
  "\n#\n",
  "\n###",
  "<ok/>]]>]]>",
])("a NETCONF chunk that begins with %o is rejected", (header) => {
  expect(() => read(Buffer.from(header), "chunked", [1])).toThrow(/framing of NETCONF 1.1/);
});

test("an announced chunk size above the limit is rejected before its bytes arrive", () => {
  expect(() => read(Buffer.from("\n#4294967295\n"), "chunked", [13])).toThrow(
    expect.objectContaining({ kind: "OutputTooLarge" }),
  );
});

test("the framing can change after a message, within one packet", () => {
  const messages: string[] = [];
  const deframer = createDeframer({ maxBytes: 100 }, (message) => {
    messages.push(message.toString());
    deframer.use("chunked");
  });
  deframer.push(Buffer.from("<hello/>]]>]]>\n#2\nok\n##\n\n#1\n"));
  expect(messages).toEqual(["<hello/>", "ok"]);
});

test("a message that contains the end mark is not sent", () => {
  expect(() => frame(`<a b="${endMark}"/>`, "marked")).toThrow(/would end it/);
  expect(frame(`<a b="${endMark}"/>`, "chunked").length).toBeGreaterThan(10);
});

test("one-byte chunks are copied, without keeping the packets", () => {
  const messages: string[] = [];
  const deframer = createDeframer({ maxBytes: 10_000 }, (message) => messages.push(message.toString("utf8")));
  deframer.use("chunked");
  const sent = Buffer.from("\n#1\nx".repeat(2_000));
  deframer.push(sent);
  sent.fill(0);
  deframer.push(Buffer.from("\n##\n"));
  expect(messages[0]?.slice(0, 1_000)).toBe("x".repeat(1_000));
  expect(messages[0]).toHaveLength(2_000);
});
