/**
 * Collecting a stream: all of it up to the limit, then head and tail; prompts are removed wherever the chunks
 * end.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCollector } from "../../../../src/device/ssh/exec/collect.ts";

function pieces(text: string, at: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const places = [
    0,
    ...[...at].map((place) => place % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end));
}

describe("the collector of command output", () => {
  test("returns what it was fed, for any chunk boundaries", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat()), (text, at) => {
        const collector = createCollector(1_000_000);
        for (const piece of pieces(text, at)) expect(collector.add(piece)).toBe(true);
        expect(collector.text()).toBe(Buffer.from(text).toString());
      }),
    );
  });

  test("cuts out a prompt once with the line end after it, for any chunk boundaries", () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.constantFrom("\r\n", "\n", ""), (at, end) => {
        const collector = createCollector(1_000_000);
        let cuts = 0;
        for (const piece of pieces(`before\r\nPASS: ${end}äfter\r\n`, at)) {
          collector.add(piece);
          if (cuts === 0 && collector.cut(/PASS: /, true)) cuts++;
        }
        expect(cuts).toBe(1);
        expect(collector.text()).toBe("before\r\näfter\r\n");
      }),
    );
  });

  test("keeps an empty line of the command after a prompt unless asked to remove it", () => {
    const collector = createCollector(1000);
    collector.add(Buffer.from("PASS: "));
    expect(collector.cut(/PASS: /, false)).toBe(true);
    collector.add(Buffer.from("\n\nx"));
    expect(collector.text()).toBe("\n\nx");
  });

  test("searches for a prompt in constant time, however much output has arrived", () => {
    const collector = createCollector(64 * 1024 * 1024);
    const chunk = Buffer.alloc(32_768, 0x61);
    for (let i = 0; i < 1000; i++) {
      collector.add(chunk);
      expect(collector.cut(/PASS: /, true)).toBe(false);
    }
    expect(collector.text()).toHaveLength(32_768_000);
  });

  test("keeps head and tail above its limit, with the number of omitted bytes", () => {
    const collector = createCollector(5_000_000);
    let taken = 0;
    while (collector.add(Buffer.alloc(100_000, taken === 0 ? 0x61 : 0x62))) taken++;
    expect(taken).toBe(50);
    expect(collector.add(Buffer.alloc(100_000, 0x63))).toBe(false);
    const text = collector.text();
    expect(text).toMatch(/^a{100000}b+\n\[3985888 bytes omitted\]\nb+$/);
    expect(text.length).toBeLessThan(1_200_000);
  });
});
