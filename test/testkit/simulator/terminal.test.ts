/** Output timing of a simulated terminal: line ends at once, the answer after its delay, pieces of any size. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { simulatedDevice } from "./simulated-device.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("after a password the line end comes at once, the rest after the delay", () => {
  const { terminal, taken } = simulatedDevice("cisco_ios", { password: 300 });
  terminal.type("enable\n");
  expect(taken()).toBe("R1>enable\r\nPassword: ");
  terminal.type("sesame\n");
  expect(taken()).toBe("\r\n");
  vi.advanceTimersByTime(299);
  expect(taken()).toBe("");
  vi.advanceTimersByTime(1);
  expect(taken()).toBe("R1#");
});

test("input typed ahead is processed after the current command", () => {
  const { terminal, taken } = simulatedDevice("cisco_ios", 50);
  vi.advanceTimersByTime(50);
  expect(taken()).toBe("R1>");
  terminal.type("enable\nsesame\nshow clock\n");
  expect(taken()).toBe("enable\r\n");
  vi.advanceTimersByTime(150);
  expect(taken()).toBe("Password: \r\nR1#show clock\r\n*07:05:01.123 UTC Fri Nov 20 2026\r\nR1#");
});

test.each([
  ["save", "write memory"],
  ["line", "configure terminal\nhostname core9"],
] as const)("the delay for %s applies only to it", (kind, typed) => {
  const { terminal, taken } = simulatedDevice("cisco_ios", { [kind]: 800 });
  terminal.type("enable\nsesame\n");
  terminal.type(`${typed}\n`);
  expect(taken().endsWith(`${typed.split("\n").at(-1)}\r\n`)).toBe(true);
  vi.advanceTimersByTime(800);
  expect(taken()).toMatch(/#$/);
});

test("a stopped terminal sends nothing", () => {
  const { terminal, taken } = simulatedDevice("cisco_ios", { command: 20 });
  terminal.type("show clock\n");
  taken();
  terminal.stop();
  vi.advanceTimersByTime(100);
  expect(taken()).toBe("");
});

test("output is fragmented by the seed, without loss", () => {
  const pieces = (cutSeed: number) => {
    const { terminal, writes } = simulatedDevice("cisco_ios", 0, { cutSeed });
    terminal.type("show version\n");
    vi.advanceTimersByTime(60_000);
    return [...writes];
  };
  const whole = simulatedDevice("cisco_ios", 0);
  whole.terminal.type("show version\n");
  expect(pieces(7)).toEqual(pieces(7));
  expect(pieces(7)).not.toEqual(pieces(8));
  expect(pieces(7).join("")).toBe(whole.taken());
  expect(pieces(7).length).toBeGreaterThan(10);
});
