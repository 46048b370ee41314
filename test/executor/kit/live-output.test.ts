/** Live output for watchers: however it is fragmented, it contains no secret and no control character. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLiveOutput, createLiveProgress } from "../../../src/executor/kit/live-output.ts";
import { createMasking } from "../../../src/executor/masking.ts";

function watched(...secrets: string[]) {
  const mask = createMasking().task();
  mask.add(secrets, "all");
  const pieces: string[] = [];
  return { live: createLiveOutput(mask, (text) => pieces.push(text)), pieces };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Sends each chunk after its own pause, the worst case. */
function tellSlowly(chunks: readonly string[], ...secrets: string[]): string {
  const { live, pieces } = watched(...secrets);
  for (const chunk of chunks) {
    live.push(chunk);
    vi.advanceTimersByTime(100);
  }
  live.end();
  return pieces.join("");
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [...places, text.length].map((end, at) => text.slice(at === 0 ? 0 : places[at - 1], end));
}

describe("secrets in live output", () => {
  const secret = "S3cr3t-p4ssw0rd\nof two lines";
  const raw = `before ${secret} between ${Buffer.from(secret).toString("base64")} after S3cr3t\n`;
  const shown = "before [secret] between [secret]== after S3cr3t\n";

  test("stay hidden for any chunk boundary, and nothing else is lost", () => {
    for (let cut = 0; cut <= raw.length; cut++) {
      expect(tellSlowly([raw.slice(0, cut), raw.slice(cut)], secret)).toBe(shown);
    }
  });

  test("stay hidden in many chunks", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 30 }), (cuts) => {
        expect(tellSlowly(cutAt(raw, cuts), secret)).toBe(shown);
      }),
    );
  });
});

describe("a secret where output is omitted", () => {
  const secret = "S3cr3t-p4ssw0rd-0f-c0re";
  const room = 64 * 1024;
  const most = "line\n".repeat(room);

  /** The longest part of the secret that was shown. */
  function longestOf(shown: string): number {
    let longest = 0;
    for (let from = 0; from < secret.length; from++)
      for (let to = from + longest + 1; to <= secret.length && shown.includes(secret.slice(from, to)); to++)
        longest = to - from;
    return longest;
  }

  test("its beginning is not shown when the end is left out", () => {
    for (let at = 1; at < secret.length; at++) {
      const filled = most.slice(0, room - at - "password ".length);
      const shown = tellSlowly([`${filled}password ${secret}\nmore\n`, "next\n"], secret);
      expect(shown).toContain("next");
      expect(longestOf(shown)).toBeLessThan(3);
    }
  });

  test("its first line is not shown when the second is left out", () => {
    const two = "S3cr3t-p4ssw0rd\nof two lines";
    const filled = most.slice(0, room - two.indexOf("\n") - 1);
    expect(tellSlowly([`${filled}${two}\n`, "next\n"], two)).not.toContain("S3cr3t");
  });

  test("its end is not shown when the beginning was left out", () => {
    for (let at = 1; at < secret.length; at++) {
      const shown = tellSlowly(
        [`${most.slice(0, room)}password ${secret.slice(0, at)}`, `${secret.slice(at)}\nnext\n`],
        secret,
      );
      expect(shown).toContain("next");
      expect(longestOf(shown)).toBeLessThan(3);
    }
  });
});

describe("control characters in live output", () => {
  test("such as many carriage returns become one line end, in bounded time", () => {
    const returns = "\r".repeat(64 * 1024);
    expect(tellSlowly(["a", ...Array<string>(12).fill(returns), "b"])).toBe("a\nb");
  });

  test.each([
    ["colours", "\x1b[1;31mred\x1b[0m\r\n", "red\n"],
    ["window titles", "\x1b]0;router\x07R1#\x1b]2;x\x1b\\ ", "R1# "],
    ["an overwritten line", "10%\r20%\r100%\r\r\n", "10%\n20%\n100%\n"],
    ["bells, backspaces and NULs", "a\x07b\x08c\x00d\te\n", "abcd\te\n"],
  ])("are removed for any chunk boundary: %s", (_name, said, shown) => {
    for (let cut = 0; cut <= said.length; cut++)
      expect(tellSlowly([said.slice(0, cut), said.slice(cut)])).toBe(shown);
  });

  test("do not delay the following text if an escape sequence never ends", () => {
    const { live, pieces } = watched();
    live.push(`\x1b]${"x".repeat(300)} and more\n`);
    vi.advanceTimersByTime(100);
    expect(pieces.join("")).toContain("and more");
  });
});

describe("the amount of live output", () => {
  test("is reduced by joining chunks that arrive within one interval", () => {
    const { live, pieces } = watched();
    for (let line = 0; line < 50; line++) live.push(`${line}\n`);
    vi.advanceTimersByTime(100);
    expect(pieces).toHaveLength(1);
  });

  test("is limited, with a note on the omitted characters", () => {
    const { live, pieces } = watched();
    for (let kilobyte = 0; kilobyte < 1000; kilobyte++) live.push(`${"x".repeat(1023)}\n`);
    vi.advanceTimersByTime(100);
    expect(pieces.join("").length).toBeLessThan(66_000);
    expect(pieces.join("")).toContain(`[${(1000 - 64) * 1024} characters omitted]`);
  });

  test("is zero for a task that ends within the interval", () => {
    const { live, pieces } = watched();
    live.push("all of it");
    live.end();
    vi.advanceTimersByTime(1_000);
    expect(pieces).toEqual([]);
  });

  test("does not grow after the end of the task", () => {
    const { live, pieces } = watched();
    live.push("begun\n");
    vi.advanceTimersByTime(100);
    live.end();
    live.push("a driver that goes on");
    vi.advanceTimersByTime(1_000);
    expect(pieces).toEqual(["begun\n"]);
  });
});

test("transfer progress is reported at most ten times a second, and always at the end", () => {
  const reports: string[] = [];
  const progress = createLiveProgress((done, total) => reports.push(`${done}/${total}`));
  for (let done = 1; done <= 1000; done++) {
    progress(done, 1000);
    vi.advanceTimersByTime(1);
  }
  expect(reports.length).toBeLessThanOrEqual(11);
  expect([reports[0], reports.at(-1)]).toEqual(["1/1000", "1000/1000"]);
});
