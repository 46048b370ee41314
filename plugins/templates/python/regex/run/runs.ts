/** Runs of one character set, such as `\w+`: how far they extend, and where to resume on backtracking. */
import type { Failures } from "./failures.ts";
import type { Instruction, Op } from "./program.ts";
import { FAILED, GREEDY, LAZY, next, type Track } from "./track.ts";

interface Runs {
  /** The end of the run at `start`; -1 if it is too short. */
  runSet(instruction: Op<"run">, pc: number, start: number): number;
  /** The next shorter end to try; -1 if there is none. */
  shorter(pc: number, position: number, least: number): number;
  longer(pc: number, position: number, remaining: number): number;
}

export function createRuns(code: readonly Instruction[], failures: Failures, track: Track): Runs {
  const { stack } = track;

  function runSet(instruction: Op<"run">, pc: number, start: number): number {
    const { set, min, max, mode, mark } = instruction;
    const { subject } = track;
    const goal = mode === "lazy" ? min : max;
    let position = start;
    let least = start;
    let count = 0;
    while (count < goal && position < subject.length) {
      const unit = subject.codeAt(position);
      if (!set.has(unit)) break;
      position = next(position, unit);
      count += 1;
      if (count === min) least = position;
    }
    track.steps += count >> 3;
    if (count < min) return -1;
    if (mode === "possessive") return position;
    if (mode === "greedy") return keepGreedy(pc, mark, position, least);
    return failures.has(mark, position)
      ? longer(pc, position, max - count)
      : keepLazy(pc, mark, position, max - count);
  }

  /** Continues at the longest end whose remainder is not known to fail; shorter ends stay on the stack. */
  function keepGreedy(pc: number, mark: number, from: number, least: number): number {
    const { subject } = track;
    let end = from;
    while (end > least && failures.has(mark, end)) {
      end = subject.before(end);
      track.steps += 1;
    }
    if (end > least) stack.push(GREEDY, pc, end, least);
    else if (failures.has(mark, end)) return -1;
    else if (failures.on) stack.push(FAILED, mark, end, 0);
    return end;
  }

  function keepLazy(pc: number, mark: number, end: number, remaining: number): number {
    if (remaining > 0) stack.push(LAZY, pc, end, remaining);
    else if (failures.on) stack.push(FAILED, mark, end, 0);
    return end;
  }

  function shorter(pc: number, position: number, least: number): number {
    const instruction = code[pc];
    if (instruction?.op !== "run") return -1;
    failures.note(instruction.mark, position);
    return keepGreedy(pc, instruction.mark, track.subject.before(position), least);
  }

  function longer(pc: number, position: number, remaining: number): number {
    const instruction = code[pc];
    if (instruction?.op !== "run") return -1;
    const { set, mark } = instruction;
    const { subject } = track;
    failures.note(mark, position);
    let end = position;
    let more = remaining;
    while (more > 0 && end < subject.length) {
      const unit = subject.codeAt(end);
      if (!set.has(unit)) return -1;
      end = next(end, unit);
      more -= 1;
      if (!failures.has(mark, end)) return keepLazy(pc, mark, end, more);
      track.steps += 1;
    }
    return -1;
  }

  return { runSet, shorter, longer };
}
