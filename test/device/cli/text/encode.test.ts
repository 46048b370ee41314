/** What is typed is in the character set of the device, or refused. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openCliSession } from "../../../../src/device/cli/session.ts";
import { createEncoder } from "../../../../src/device/cli/text/encode.ts";
import { fakeStream } from "../fake-stream.ts";
import { openOptions, patient, push } from "../open-options.ts";
import { router } from "../router-platform.ts";
import { testContext } from "../test-context.ts";

const hex = (data: string | Uint8Array) => Buffer.from(data).toString("hex");

describe("typed text is encoded", () => {
  test.each([
    ["latin1", "Büro ÿ", "42fc726f20ff"],
    ["windows-1252", "5 €", "352080"],
    ["iso-8859-15", "5 €", "3520a4"],
    ["koi8-r", "Да", "e4c1"],
    ["shift_jis", "日本", "93fa967b"],
    ["euc-jp", "日本", "c6fccbdc"],
    ["iso-2022-jp", "日", "1b2442467c1b2842"],
    ["gbk", "你好", "c4e3bac3"],
    ["gb18030", "你\u{1f600}é", "c4e39439fc36a8a6"],
    ["big5", "中", "a4a4"],
    ["euc-kr", "한", "c7d1"],
    ["utf-8", "Büro", "42c3bc726f"],
    ["utf-16le", "A", "4100"],
  ])("in %s", (encoding, text, bytes) => {
    expect(hex(createEncoder(encoding)(text))).toBe(bytes);
  });

  test.each([
    ["latin1", "€"],
    ["ascii", "ü"],
    ["koi8-r", "ü"],
    ["shift_jis", "\u{1f600}"],
    ["utf-8", "\ud800"],
  ])("a character that %s lacks is refused by name", (encoding, char) => {
    const encode = createEncoder(encoding);
    expect(() => encode(`description ${char}`)).toThrow(
      expect.objectContaining({ kind: "CommandError", message: expect.stringContaining(encoding) }),
    );
  });

  test("what is encoded decodes to the same text", () => {
    const sets = [
      "latin1",
      "shift_jis",
      "euc-jp",
      "iso-2022-jp",
      "gbk",
      "gb18030",
      "big5",
      "euc-kr",
      "koi8-r",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...sets), fc.string({ unit: "binary", maxLength: 20 }), (set, text) => {
        let bytes: string | Uint8Array;
        try {
          bytes = createEncoder(set)(text);
        } catch {
          return;
        }
        if (set === "latin1") expect(Buffer.from(bytes).toString("latin1")).toBe(text);
        else
          expect(Reflect.construct(TextDecoder, [set, { ignoreBOM: true }]).decode(Buffer.from(bytes))).toBe(
            text,
          );
      }),
    );
  });
});

/** A router whose console is in Latin-1: it echoes bytes as they come. */
function latinRouter() {
  let prompt = "R1#";
  const lines: string[] = [];
  const stream = fakeStream((text) => {
    for (const line of text.split("\n").slice(0, -1)) {
      lines.push(line);
      if (line === "configure terminal") prompt = "R1(config)#";
      if (line === "end") prompt = "R1#";
      const says = line.startsWith("show ") ? "owner: B\xfcro\r\n" : "";
      stream.feed(Buffer.from(`${line}\r\n${says}${prompt}`, "latin1"));
    }
  });
  stream.feed(prompt);
  return { stream, lines };
}

describe("a session in another character set", () => {
  const platform = { ...router, encoding: "latin1" };

  test("types it, recognizes its echo, and reads it", async () => {
    const { stream, lines } = latinRouter();
    const ctx = testContext();
    const session = await openCliSession(openOptions(stream, { platform, ...patient }), ctx);
    expect(await session.send("show owner Büro", {}, ctx)).toBe("owner: Büro");
    const { transcript } = await session.configure(["description Büro"], push, ctx);
    expect(lines).toContain("description B\xfcro");
    expect(transcript).toContain("R1(config)#description Büro\n");
  });

  test("refuses a character before the first line of a push is sent", async () => {
    const { stream, lines } = latinRouter();
    const ctx = testContext();
    const session = await openCliSession(openOptions(stream, { platform, ...patient }), ctx);
    const before = lines.length;
    const pushed = session.configure(["interface Lo1", "description 5 €"], push, ctx);
    await expect(pushed).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringMatching(/"€" \(U\+20AC\) does not exist in latin1/),
      detail: { outcome: "none" },
    });
    await expect(session.send("show 5 €", {}, ctx)).rejects.toMatchObject({ kind: "CommandError" });
    expect(lines.length).toBe(before);
  });
});
