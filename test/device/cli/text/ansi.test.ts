import { isAscii } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cleaned, createCleaner } from "../../../../src/device/cli/text/ansi.ts";
import { createDecoder } from "../../../../src/device/cli/text/decode.ts";
import { folded } from "../../../../src/device/cli/text/output-buffer.ts";
import { runs } from "../../../support/runs.ts";

/** The cleaner's output as one string. */
const joined = ({ first, rest }: Cleaned) => first + rest;

function clean(bytes: Uint8Array, cuts: readonly number[] = [], cols = 511): string {
  const decode = createDecoder();
  const cleaner = createCleaner(cols);
  const at = [0, ...[...cuts].sort((a, b) => a - b).filter((cut) => cut <= bytes.length), bytes.length];
  const push = (part: Uint8Array) => joined(cleaner.push(decode(part), isAscii(part)));
  let text = "";
  for (let i = 1; i < at.length; i++) text += push(bytes.slice(at[i - 1], at[i]));
  return folded(text) + cleaner.line();
}

const encode = (text: string) => new TextEncoder().encode(text);
const seen = (text: string, cols?: number) => clean(encode(text), [], cols);

describe("terminal output is cleaned as a reader sees it", () => {
  test.each([
    ["line ends of all kinds", "a\r\nb\r\r\nc\n\rd\ne", "a\nb\nc\nd\ne"],
    ["colours and modes", "\x1b[1;32mR1\x1b[0m# \x1b[?2004h\x1b[38;5;12mx", "R1# x"],
    ["window titles", "\x1b]0;admin@host\x07$ \x1b]2;x\x1b\\ls", "$ ls"],
    ["window titles that never end", "\x1b]0;never\r\nnext", "\nnext"],
    ["8-bit controls", "\u009b31mred\u009d0;title\u009cx", "redx"],
    ["device control strings", "a\x1bPq#0~\x1b\\b", "ab"],
    ["character set switches", "\x1b(Ba\x1b)0b\x1b=c\x1b>d", "abcd"],
    ["backspaces that rub out", "shox\b \bw", "show"],
    ["backspaces that only move", "abc\b\b", "abc"],
    ["carriage returns that overwrite", "progress 10%\rprogress 99%\r\ndone", "progress 99%\ndone"],
    ["erased lines", "junk\r\x1b[Kreal", "real"],
    ["erased rests of lines", "command --junk\b\b\b\b\b\b\b\x1b[K", "command"],
    ["cursors that go back over text", "abc\x1b[3Dxyz", "xyz"],
    ["column movements", "ab\x1b[6Gz", "ab   z"],
    ["inserted and deleted characters", "ad\x1b[1D\x1b[2@bc\rabcd\x1b[4D\x1b[1P", "bcd"],
    ["bells and NULs", "a\x07b\0c\x7fd", "abcd"],
    ["ESC E of full-screen interfaces", "one\x1bEtwo", "one\ntwo"],
    ["row movements of full-screen interfaces", "\x1b[23;1Hfirst\x1b[24;1Hsecond", "first\nsecond"],
    ["redrawn rows", "\x1b[24;1HSW# \x1b[24;1H\x1b[2K\x1b[24;1HSW# \x1b[24;5Hsh", "SW# sh"],
    ["cleared screens", "menu\x1b[2J\x1b[HSW#", "menu\nSW#"],
    ["inserted lines", "a\x1b[2Lb", "a\n\nb"],
    ["controls inside sequences", "a\x1b[\r31mb", "b"],
    ["cancelled sequences", "a\x1b[31\x18mb", "amb"],
  ])("%s are handled", (_, raw, expected) => {
    expect(seen(raw)).toBe(expected);
  });

  test("a line that readline wraps is one line", () => {
    const typed = "x".repeat(30);
    // At column 20 readline prints a space and a carriage return to force a line wrap.
    const echoed = `$ ${typed.slice(0, 18)} \r${typed.slice(18)}`;
    expect(seen(`${echoed}\r\nout\r\n$ `, 20)).toBe(`$ ${typed}\nout\n$ `);
  });

  test("long lines are complete, for any chunk boundaries", () => {
    const long = "0123456789".repeat(5000);
    expect(seen(`${long}\r\nend`)).toBe(`${long}\nend`);
    expect(seen(`${long}\rA\r\nend`).length).toBe(long.length + 4);
  });
});

describe("a pager prompt", () => {
  function paged(after: string): string {
    const cleaner = createCleaner(511);
    let text = joined(cleaner.push("one\r\n --More-- "));
    cleaner.wipe();
    text += joined(cleaner.push(after));
    return folded(text) + cleaner.line();
  }
  const erase = "\b".repeat(10) + " ".repeat(10) + "\b".repeat(10);
  test.each([
    ["rubbed out by backspaces", `${erase} two\r\nR1#`, "one\n two\nR1#"],
    ["overwritten with blanks", `\r${" ".repeat(10)}\r  two\r\nR1#`, "one\n  two\nR1#"],
    ["erased", "\r\x1b[Ktwo\r\nR1#", "one\ntwo\nR1#"],
    ["erased from its end", "\x1b[2K\rtwo\r\nR1#", "one\ntwo\nR1#"],
    ["left alone", "\r\ntwo\r\nR1#", "one\ntwo\nR1#"],
    ["written over", "\r two longer than it\r\nR1#", "one\n two longer than it\nR1#"],
    ["written over by something shorter", "\r two\r\nR1#", "one\n two\nR1#"],
    ["followed on its line", "two\r\nR1#", "one\ntwo\nR1#"],
    ["moved over", `\x1b[10D${" ".repeat(10)}\x1b[10D two\r\n`, "one\n two\n"],
    ["rubbed out before the prompt", `${erase}R1#`, "one\nR1#"],
  ])("%s leaves no trace in the output", (_, after, expected) => {
    expect(paged(after)).toBe(expected);
  });

  test.each([
    ["by backspaces", "\b".repeat(12) + " ".repeat(12) + "\b".repeat(12)],
    ["with blanks", `\r${" ".repeat(12)}\r`],
  ])("that continues after the key press is removed %s", (_, wiped) => {
    for (let at = 0; at <= wiped.length; at++) {
      const pieces = ["-- ", wiped.slice(0, at), `${wiped.slice(at)}two\r\nR1#`];
      const cleaner = createCleaner(511);
      let text = joined(cleaner.push("one\r\n --More"));
      cleaner.wipe();
      for (const piece of pieces) text += joined(cleaner.push(piece));
      expect(folded(text) + cleaner.line()).toBe("one\ntwo\nR1#");
    }
  });
});

describe("a pager prompt of several words, cut anywhere,", () => {
  const pager = "Press <space> to page down, <return> for next line, or 'q' to quit... ";
  const { length } = pager;
  test.each([
    ["by backspaces", "\b".repeat(length) + " ".repeat(length) + "\b".repeat(length)],
    ["with blanks", `\r${" ".repeat(length)}\r`],
    ["with more blanks than it has", `\r${" ".repeat(79)}\r`],
  ])("is removed %s, keeping the blanks of the next line", (_, wiped) => {
    for (let cut = 26; cut <= length; cut++)
      for (const line of ["two", "  two  ", `two${" ".repeat(60)}three`]) {
        const cleaner = createCleaner(511);
        let text = joined(cleaner.push(`one\r\n${pager.slice(0, cut)}`));
        cleaner.wipe();
        for (const piece of [pager.slice(cut), wiped, `${line}\r\nR1#`]) text += joined(cleaner.push(piece));
        expect([cut, folded(text) + cleaner.line()]).toEqual([cut, `one\n${line}\nR1#`]);
      }
  });
});

/** Quadratic time in the device's output would block all other sessions of the thread. */
describe("an unfinished line is limited in length", () => {
  test("if blanks are inserted into it", () => {
    const cleaner = createCleaner(511);
    cleaner.push("ab\x1b[D");
    const out = joined(cleaner.push("\x1b[511@".repeat(500)));
    expect(cleaner.line().length).toBeLessThan(20_000);
    expect(out + cleaner.line()).toBe(`a${" ".repeat(500 * 511)}b`);
  });

  test("if many carriage returns precede its end", () => {
    const returns = "\r".repeat(1_000_000);
    // Quadratic time would be minutes.
    expect(clean(encode(`one${returns}\n${returns}two${returns}\r\n`))).toBe("one\ntwo\n");
    const cleaner = createCleaner(80);
    const packets = Array.from({ length: 200_000 }, () => joined(cleaner.push("\r")));
    expect(packets.join("") + joined(cleaner.push("a\n"))).toBe("a\n");
  });

  test.each([
    ["text", "y", "y"],
    ["blanks", " ", ""],
  ])("after a pager prompt, for %s, for any chunk boundaries", (_, painted, seen) => {
    const all = painted.repeat(40_000);
    const seenOf = (pieces: readonly string[]) => {
      const cleaner = createCleaner(511);
      cleaner.push("x --More--");
      cleaner.wipe();
      const out = pieces.map((piece) => joined(cleaner.push(piece))).join("");
      expect(cleaner.line().length).toBeLessThan(20_000);
      return out + cleaner.line();
    };
    const whole = seenOf([all]);
    expect(whole.startsWith(seen.repeat(20_000))).toBe(true);
    expect(seenOf([all.slice(0, 17_000), all.slice(17_000)])).toBe(whole);
    expect(seenOf([all.slice(0, 100), all.slice(100, 16_384), all.slice(16_384)])).toBe(whole);
  });
});

describe("decoding bytes", () => {
  test("joins characters split between packets", () => {
    const bytes = encode("Zürich 東京 🚀 #");
    for (let cut = 0; cut <= bytes.length; cut++) expect(clean(bytes, [cut])).toBe("Zürich 東京 🚀 #");
  });

  test("marks bytes that are not UTF-8", () => {
    expect(clean(new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x20, 0x78]))).toBe("caf\ufffd x");
    expect(clean(new Uint8Array([0xc0, 0xaf, 0x41]))).toBe("\ufffd\ufffdA");
    expect(clean(new Uint8Array([0xe2, 0x82]))).toBe("");
  });

  test("treats a bare 8-bit CSI as a control character", () => {
    expect(clean(new Uint8Array([0x61, 0x9b, 0x33, 0x31, 0x6d, 0x62]))).toBe("ab");
  });

  test("supports other character sets", () => {
    const decode = createDecoder("shift_jis");
    expect(decode(new Uint8Array([0x83, 0x65, 0x83])) + decode(new Uint8Array([0x58]))).toBe("テス");
  });
});

/** What devices, shells and attackers send. */
const token = fc.oneof(
  { weight: 5, arbitrary: fc.string({ maxLength: 12 }).map(encode) },
  {
    weight: 5,
    arbitrary: fc.constantFrom("\r\n", "\n", "\r", "\b", "\r\r\n", " \r", "\t", "R1#").map(encode),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom("A", "B", "C", "D", "G", "H", "J", "K", "L", "P", "@", "X", "m", "h", "s", "u", "d")
      .chain((final) =>
        fc
          .tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 30 }))
          .map(([a, b]) => encode(`\x1b[${a};${b}${final}`)),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("\x1b", "\x1b[", "\x1b]0;t", "\x07", "\x1b\\", "\x1bE", "\x1bc", "\x1b7", "\x1b8", "\x18")
      .map(encode),
  },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 6 }).map(encode) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 8000, max: 20_000 }).map((length) => encode("x".repeat(length))),
  },
);
const stream = fc
  .array(token, { maxLength: 40 })
  .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));

test("the cleaned text does not depend on chunk boundaries", () => {
  fc.assert(
    fc.property(
      stream,
      fc.array(fc.nat(4000), { maxLength: 30 }),
      fc.constantFrom(20, 80, 511),
      (bytes, cuts, cols) => {
        expect(clean(bytes, cuts, cols)).toBe(clean(bytes, [], cols));
      },
    ),
    { numRuns: runs(1500) },
  );
});

test("the cleaned text is the same for single-byte chunks", () => {
  fc.assert(
    fc.property(
      stream.filter((bytes) => bytes.length < 2000),
      (bytes) => {
        const all = Array.from({ length: bytes.length }, (_, at) => at);
        expect(clean(bytes, all)).toBe(clean(bytes));
      },
    ),
    { numRuns: runs(500) },
  );
});

test("the cleaned text contains no control characters", () => {
  fc.assert(
    fc.property(stream, (bytes) => {
      expect(clean(bytes)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }),
  );
});

test("a released line keeps its text and frees the megabyte of output before it", () => {
  const lineOf = (at: number) => `é${at}\ud800#`;
  const heapBytes = () => {
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  };
  const before = heapBytes();
  const cleaners = Array.from({ length: 20 }, (_, at) => {
    const cleaner = createCleaner(511);
    cleaner.push(Buffer.from(`${"x".repeat(500_000)}\n${lineOf(at)}`, "utf16le").toString("utf16le"));
    cleaner.release();
    return cleaner;
  });
  expect(heapBytes() - before).toBeLessThan(10_000_000);
  expect(cleaners.map((cleaner) => cleaner.line())).toEqual(cleaners.map((_, at) => lineOf(at)));
});

/** Recorded from the shells, with a terminal of 20 columns. */
describe("a shell's mark for output without a line end", () => {
  const zsh = `\x1b[1m\x1b[7m%\x1b[m\x1b[1m\x1b[0m${" ".repeat(19)}\r \r\r\x1b[0m\x1b[m\x1b[m\x1b[Jann@mac ~ % \x1b[K`;
  const fish = `⏎\x1b[m\x0f$<2>${" ".repeat(19)}\r⏎ \r\x1b[K$<3>ann@mac ~> \x1b[K\r\x1b[10C`;
  test.each([
    ["zsh", zsh, "ann@mac ~ % "],
    ["fish", fish, "ann@mac ~> "],
  ])("%s: is no output, wherever packets end", (_, mark, prompt) => {
    for (const output of ["", "abc", "one\r\ntwo", "one\r\n", "x".repeat(20), "x".repeat(47), "100%"]) {
      const bytes = encode(output + mark);
      const text = output.replaceAll("\r\n", "\n");
      const expected = text === "" || text.endsWith("\n") ? text + prompt : `${text}\n${prompt}`;
      for (let cut = 0; cut <= bytes.length; cut++)
        expect(clean(bytes, [cut], 20).trimEnd()).toBe(expected.trimEnd());
      expect(clean(bytes, [...bytes.keys()], 20).trimEnd()).toBe(expected.trimEnd());
    }
  });

  test("blanks that end a line are output", () => {
    expect(seen(`a${" ".repeat(40)}\r\nb`, 20)).toBe(`a${" ".repeat(40)}\nb`);
  });

  test("a line feed in an upper row of a wrapped command goes down a row", () => {
    const typed = "x".repeat(30);
    expect(seen(`$ ${typed}\x1b[A\r\r\n\x1b[12C\r\nout`, 20)).toBe(`$ ${typed}\nout`);
  });
});
