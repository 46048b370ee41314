/** A regular expression matcher that runs in linear time for any expression, for untrusted patterns (Pike's VM). */
import { isLineEnd, isWord, type Node, parseLinear } from "./linear-parse.ts";

/** The subset of RegExp (without `g`) that is needed to search device output. */
export interface TextPattern {
  readonly source: string;
  test(text: string): boolean;
  /** The leftmost match; only its position is guaranteed, not its groups. */
  exec(text: string): { readonly index: number; readonly 0: string } | null;
}

type Instruction =
  | { readonly op: "set"; readonly has: (code: number) => boolean }
  | { readonly op: "assert"; readonly what: "start" | "end" | "word" | "notWord" }
  | { op: "split"; first: number; second: number }
  | { op: "jump"; to: number }
  | { readonly op: "match" };

/** Repetitions are unrolled; this bounds the size of the program. */
const maxInstructions = 1000;

/** Whether `linearPattern` takes it. */
export function isLinear(source: string, options?: LinearOptions): boolean {
  try {
    linearPattern(source, options);
    return true;
  } catch {
    return false;
  }
}

interface LinearOptions {
  readonly multiline?: boolean;
  readonly ignoreCase?: boolean;
  readonly dotAll?: boolean;
}

/** @throws SyntaxError for expressions that are invalid, too large, or use back references or look-around */
export function linearPattern(
  source: string,
  { multiline = false, ignoreCase = false, dotAll = false }: LinearOptions = {},
): TextPattern {
  const program: Instruction[] = [];
  emit(parseLinear(source, { ignoreCase, dotAll }));
  program.push({ op: "match" });

  function push(instruction: Instruction): void {
    if (program.length >= maxInstructions) throw new SyntaxError("it is too large");
    program.push(instruction);
  }

  function emit(node: Node): void {
    if (node.kind === "set") push({ op: "set", has: node.has });
    else if (node.kind === "assert") push({ op: "assert", what: node.what });
    else if (node.kind === "all") node.nodes.forEach(emit);
    else if (node.kind === "any") emitAny(node.nodes);
    else emitRepeat(node.node, node.least, node.most);
  }

  function emitAny(nodes: readonly Node[]): void {
    const jumps: { op: "jump"; to: number }[] = [];
    for (const [index, node] of nodes.entries()) {
      if (index === nodes.length - 1) {
        emit(node);
        continue;
      }
      const split = { op: "split" as const, first: program.length + 1, second: 0 };
      push(split);
      emit(node);
      const jump = { op: "jump" as const, to: 0 };
      jumps.push(jump);
      push(jump);
      split.second = program.length;
    }
    for (const jump of jumps) jump.to = program.length;
  }

  function emitRepeat(node: Node, least: number, most: number): void {
    for (let i = 0; i < least; i++) emit(node);
    if (most === Number.POSITIVE_INFINITY) {
      const split = { op: "split" as const, first: program.length + 1, second: 0 };
      const start = program.length;
      push(split);
      emit(node);
      push({ op: "jump", to: start });
      split.second = program.length;
      return;
    }
    const splits: { op: "split"; first: number; second: number }[] = [];
    for (let i = least; i < most; i++) {
      const split = { op: "split" as const, first: program.length + 1, second: 0 };
      splits.push(split);
      push(split);
      emit(node);
    }
    for (const split of splits) split.second = program.length;
  }

  function assertionHolds(
    assertion: "start" | "end" | "word" | "notWord",
    text: string,
    at: number,
  ): boolean {
    if (assertion === "start") return at === 0 || (multiline && isLineEnd(text.charCodeAt(at - 1)));
    if (assertion === "end") return at === text.length || (multiline && isLineEnd(text.charCodeAt(at)));
    const border =
      (at > 0 && isWord(text.charCodeAt(at - 1))) !== (at < text.length && isWord(text.charCodeAt(at)));
    return border === (assertion === "word");
  }

  function exec(text: string): { index: number; 0: string } | null {
    // Threads in order of priority: instruction and start of the match. Each instruction appears once in a list.
    let now: number[] = [];
    let starts: number[] = [];
    const visitedAt = new Int32Array(program.length).fill(-1);
    let best: { index: number; 0: string } | null = null;

    for (let at = 0; at <= text.length; at++) {
      const next: number[] = [];
      const nextStarts: number[] = [];
      const code = at < text.length ? text.charCodeAt(at) : -1;
      const stack: number[] = [];
      // Follows each surviving thread at once, so `visitedAt` is valid for this position.
      const enter = (from: number, start: number): boolean => {
        stack.push(from);
        while (stack.length > 0) {
          const pc = stack.pop() ?? 0;
          if (visitedAt[pc] === at) continue;
          visitedAt[pc] = at;
          const instruction = program[pc];
          if (instruction === undefined) continue;
          if (instruction.op === "jump") stack.push(instruction.to);
          else if (instruction.op === "split") stack.push(instruction.second, instruction.first);
          else if (instruction.op === "assert") {
            if (assertionHolds(instruction.what, text, at)) stack.push(pc + 1);
          } else if (instruction.op === "match") {
            best = { index: start, 0: text.slice(start, at) };
            stack.length = 0;
            return true;
          } else if (code >= 0 && instruction.has(code)) {
            next.push(pc + 1);
            nextStarts.push(start);
          }
        }
        return false;
      };
      let cut = false;
      for (let i = 0; i < now.length && !cut; i++) cut = enter(now[i] ?? 0, starts[i] ?? 0);
      if (!cut && best === null) enter(0, at);
      if (best !== null && next.length === 0) break;
      now = next;
      starts = nextStarts;
    }
    return best;
  }

  return { source, exec, test: (text) => exec(text) !== null };
}
