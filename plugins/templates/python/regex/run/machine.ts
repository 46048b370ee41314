/** The backtracking matcher: follows Python's order of alternatives, counts steps and memoizes failures. */
import { TemplateError } from "../../errors.ts";
import { Failures } from "./failures.ts";
import type { Op, Program } from "./program.ts";
import { createRuns } from "./runs.ts";
import { Subject } from "./subject.ts";
import { CHOICE, FAILED, GREEDY, LAZY, next, REGISTER, ROUND, SLOT, type Track } from "./track.ts";

export interface Machine {
  /**
   * Sets the text and forgets what was memoized for the previous one.
   * @param wide the text has surrogate pairs.
   */
  begin(text: string, wide: boolean): void;
  /** Releases the text. */
  end(): void;
  /** The position after the code point at `position`. */
  after(position: number): number;
  /**
   * @param goal any match, one that reaches the end of the text, or one that is not empty.
   * @returns start and end of each group, -1 if it did not participate; undefined: no match at `start`.
   */
  matchAt(start: number, goal: Goal): Int32Array | undefined;
}

export type Goal = "any" | "whole" | "advance";

/** Failures are memoized after this many steps; most matches end long before. */
const rememberAfter = 4096;
const maxStackEntries = 2_000_000;

export function createMachine(program: Program, stepLimit: number): Machine {
  const { code } = program;
  const failures = new Failures(program.marks);
  const slots = new Int32Array(2 * program.groups + 2);
  const registers = new Int32Array(program.registers);
  const nothing = new Subject("", false);
  const track: Track = { subject: nothing, steps: 0, stack: [] };
  const { stack } = track;
  const { runSet, shorter, longer } = createRuns(code, failures, track);

  function checkSteps(): void {
    if (track.steps > stepLimit || stack.length > 4 * maxStackEntries) {
      const message = `regular expression: backtracks too much (more than ${stepLimit} steps)`;
      throw new TemplateError("TemplateLimit", message);
    }
    if (track.steps >= rememberAfter) failures.start(track.subject.length);
  }

  function setSlot(slot: number, value: number): void {
    stack.push(SLOT, slot, slots[slot] ?? -1, 0);
    slots[slot] = value;
  }

  function setRegister(register: number, value: number): void {
    stack.push(REGISTER, register, registers[register] ?? 0, 0);
    registers[register] = value;
  }

  function enterRound(instruction: Op<"count">, position: number): void {
    setRegister(instruction.register, (registers[instruction.register] ?? 0) + 1);
    setRegister(instruction.last, position);
  }

  function nextRound(instruction: Op<"count">, pc: number, position: number): number {
    const count = registers[instruction.register] ?? 0;
    if (count < instruction.min) {
      setRegister(instruction.register, count + 1);
      return pc + 1;
    }
    if (count >= instruction.max || registers[instruction.last] === position) return instruction.exit;
    if (instruction.lazy) {
      stack.push(ROUND, pc, position, 0);
      return instruction.exit;
    }
    stack.push(CHOICE, instruction.exit, position, 0);
    enterRound(instruction, position);
    return pc + 1;
  }

  /** Discards the choice points above `floor` but keeps the entries that restore groups on backtracking. */
  function commit(floor: number): void {
    let writeAt = floor;
    for (let i = floor; i < stack.length; i += 4) {
      if (stack[i] !== SLOT && stack[i] !== REGISTER) continue;
      for (let k = 0; k < 4; k++) stack[writeAt + k] = stack[i + k] ?? 0;
      writeAt += 4;
    }
    stack.length = writeAt;
  }

  function undo(floor: number): void {
    while (stack.length > floor) {
      stack.pop();
      const b = stack.pop() ?? 0;
      const a = stack.pop() ?? 0;
      const kind = stack.pop();
      if (kind === SLOT) slots[a] = b;
      else if (kind === REGISTER) registers[a] = b;
    }
  }

  function look(instruction: Op<"look">, pc: number, position: number): boolean {
    const floor = stack.length;
    let start = position;
    if (instruction.behind) {
      for (let n = 0; n < instruction.width && start >= 0; n++) start = track.subject.before(start);
    }
    const isMatch = start >= 0 && run(pc + 1, start, "any") >= 0;
    if (isMatch && instruction.negated) undo(floor);
    else if (isMatch) commit(floor);
    return isMatch !== instruction.negated;
  }

  function atomic(pc: number, position: number): number {
    const floor = stack.length;
    const end = run(pc + 1, position, "any");
    if (end >= 0) commit(floor);
    return end;
  }

  function referenceEnd({ group, casing }: Op<"reference">, position: number): number {
    const from = slots[2 * group] ?? -1;
    const to = slots[2 * group + 1] ?? -1;
    if (from < 0 || to < from) return -1;
    track.steps += (to - from) >> 3;
    return track.subject.repeats(from, to, position, casing);
  }

  /** Runs from `entry` to its `done`; returns the end position, or -1 with all state restored. */
  function run(entry: number, start: number, goal: Goal): number {
    const floor = stack.length;
    const { subject } = track;
    let pc = entry;
    let position = start;
    for (;;) {
      track.steps += 1;
      if ((track.steps & 1023) === 0) checkSteps();
      const instruction = code[pc];
      if (instruction === undefined) throw new Error(`regular expression: no instruction ${pc}`);
      let target = -1;
      switch (instruction.op) {
        case "char":
          if (position < subject.length && subject.codeAt(position) === instruction.code) {
            position = next(position, instruction.code);
            target = pc + 1;
          }
          break;
        case "set":
          if (position < subject.length) {
            const unit = subject.codeAt(position);
            if (instruction.set.has(unit)) {
              position = next(position, unit);
              target = pc + 1;
            }
          }
          break;
        case "run": {
          const end = runSet(instruction, pc, position);
          if (end >= 0) {
            position = end;
            target = pc + 1;
          }
          break;
        }
        case "split":
          if (failures.has(instruction.mark, position)) break;
          if (failures.on) stack.push(FAILED, instruction.mark, position, 0);
          stack.push(CHOICE, instruction.lazy ? pc + 1 : instruction.other, position, 0);
          target = instruction.lazy ? instruction.other : pc + 1;
          break;
        case "jump":
          target = instruction.target;
          break;
        case "save":
          setSlot(instruction.slot, position);
          target = pc + 1;
          break;
        case "round":
          setRegister(instruction.register, position);
          target = pc + 1;
          break;
        case "progress":
          target = registers[instruction.register] === position ? instruction.exit : pc + 1;
          break;
        case "clear":
          setRegister(instruction.register, instruction.value);
          target = pc + 1;
          break;
        case "count":
          target = nextRound(instruction, pc, position);
          break;
        case "anchor":
          if (subject.holds(instruction.anchor, instruction.ascii, position)) target = pc + 1;
          break;
        case "look":
          if (look(instruction, pc, position)) target = instruction.end;
          break;
        case "atomic": {
          const end = atomic(pc, position);
          if (end >= 0) {
            position = end;
            target = instruction.end;
          }
          break;
        }
        case "reference": {
          const end = referenceEnd(instruction, position);
          if (end >= 0) {
            position = end;
            target = pc + 1;
          }
          break;
        }
        case "condition":
          target = (slots[2 * instruction.group + 1] ?? -1) >= 0 ? pc + 1 : instruction.no;
          break;
        case "done":
          if (goal === "any" || (goal === "whole" ? position === subject.length : position > start))
            return position;
          break;
      }
      if (target >= 0) {
        pc = target;
        continue;
      }
      for (;;) {
        if (stack.length === floor) return -1;
        const c = stack.pop() ?? 0;
        const b = stack.pop() ?? 0;
        const a = stack.pop() ?? 0;
        const kind = stack.pop();
        if (kind === SLOT) slots[a] = b;
        else if (kind === REGISTER) registers[a] = b;
        else if (kind === FAILED) failures.note(a, b);
        else {
          position = kind === GREEDY ? shorter(a, b, c) : kind === LAZY ? longer(a, b, c) : b;
          if (position < 0) continue;
          pc = kind === CHOICE ? a : a + 1;
          if (kind === ROUND) {
            const instruction = code[a];
            if (instruction?.op === "count") enterRound(instruction, b);
          }
          break;
        }
      }
    }
  }

  return {
    begin(text, wide) {
      track.subject = new Subject(text, wide);
      track.steps = 0;
      failures.forget();
    },
    end() {
      track.subject = nothing;
      failures.forget();
    },
    after(position) {
      const { subject } = track;
      return position < subject.length ? next(position, subject.codeAt(position)) : position + 1;
    },
    matchAt(start, goal) {
      slots.fill(-1);
      stack.length = 0;
      const end = run(0, start, goal);
      if (end < 0) return undefined;
      const result = slots.slice();
      result[0] = start;
      result[1] = end;
      return result;
    },
  };
}
