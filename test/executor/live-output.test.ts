/** Live output for watchers: however it is fragmented, it contains no secret and no control character. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLiveOutput, createLiveProgress } from "../../src/executor/live-output.ts";
import { createMasking } from "../../src/executor/masking.ts";

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

describe("secrets", () => {
  const secret = "S3cr3t-p4ssw0rd\nof two lines";
  const said = `before ${secret} between ${Buffer.from(secret).toString("base64")} after S3cr3t\n`;
  const shown = "before [secret] between [secret]== after S3cr3t\n";

  test("cut at every place stay hidden, and nothing else is lost", () => {
    for (let cut = 0; cut <= said.length; cut++) {
      expect(tellSlowly([said.slice(0, cut), said.slice(cut)], secret)).toBe(shown);
    }
  });

  test("cut into many pieces stay hidden", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 30 }), (cuts) => {
        expect(tellSlowly(cutAt(said, cuts), secret)).toBe(shown);
      }),
    );
  });
});

describe("control characters", () => {
  test("a device that returns and returns holds up no other: they are one line end, however many", () => {
    const returns = "\r".repeat(64 * 1024);
    expect(tellSlowly(["a", ...Array<string>(12).fill(returns), "b"])).toBe("a\nb");
  });

  test.each([
    ["colours", "\x1b[1;31mred\x1b[0m\r\n", "red\n"],
    ["titles", "\x1b]0;router\x07R1#\x1b]2;x\x1b\\ ", "R1# "],
    ["a line that is painted over", "10%\r20%\r100%\r\r\n", "10%\n20%\n100%\n"],
    ["bells, backspaces and NULs", "a\x07b\x08c\x00d\te\n", "abcd\te\n"],
  ])("%s, cut at every place", (_name, said, shown) => {
    for (let cut = 0; cut <= said.length; cut++)
      expect(tellSlowly([said.slice(0, cut), said.slice(cut)])).toBe(shown);
  });

  test("an escape that never ends holds nothing back for long", () => {
    const { live, pieces } = watched();
    live.push(`\x1b]${"x".repeat(300)} and more\n`);
    vi.advanceTimersByTime(100);
    expect(pieces.join("")).toContain("and more");
  });
});

describe("amounts", () => {
  test("pieces of one pause leave together", () => {
    const { live, pieces } = watched();
    for (let line = 0; line < 50; line++) live.push(`${line}\n`);
    vi.advanceTimersByTime(100);
    expect(pieces).toHaveLength(1);
  });

  test("more than a reader takes is left out, and told", () => {
    const { live, pieces } = watched();
    for (let kilobyte = 0; kilobyte < 1000; kilobyte++) live.push("x".repeat(1024));
    vi.advanceTimersByTime(100);
    expect(pieces.join("").length).toBeLessThan(66_000);
    expect(pieces.join("")).toContain(`[${(1000 - 64) * 1024} characters omitted]`);
  });

  test("a task that is over within the pause tells nothing: its result does", () => {
    const { live, pieces } = watched();
    live.push("all of it");
    live.end();
    vi.advanceTimersByTime(1_000);
    expect(pieces).toEqual([]);
  });

  test("what comes late is told to nobody", () => {
    const { live, pieces } = watched();
    live.push("begun\n");
    vi.advanceTimersByTime(100);
    live.end();
    live.push("a driver that goes on");
    vi.advanceTimersByTime(1_000);
    expect(pieces).toEqual(["begun\n"]);
  });
});

test("how far a transfer is: ten times a second at most, and always the end", () => {
  const told: string[] = [];
  const progress = createLiveProgress((done, total) => told.push(`${done}/${total}`));
  for (let done = 1; done <= 1000; done++) {
    progress(done, 1000);
    vi.advanceTimersByTime(1);
  }
  expect(told.length).toBeLessThanOrEqual(11);
  expect([told[0], told.at(-1)]).toEqual(["1/1000", "1000/1000"]);
});
