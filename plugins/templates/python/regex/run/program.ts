/** Compiles an AST to instructions of the backtracking matcher. */

import { isNullable } from "../analyse/shape.ts";
import { type AnchorKind, type CaseRule, isSingle, type Node, type RepeatMode } from "../parse/ast.ts";
import { type CodeSet, codeSetOf } from "../parse/code-set.ts";

/** Operands of each instruction; jump targets are patched once known. */
interface Operations {
  readonly char: { readonly code: number };
  readonly set: { readonly set: CodeSet };
  readonly run: {
    readonly set: CodeSet;
    readonly min: number;
    readonly max: number;
    readonly mode: RepeatMode;
    readonly mark: number;
  };
  /** Tries the next instruction first, then `other`; the reverse if lazy. */
  readonly split: { other: number; readonly lazy: boolean; readonly mark: number };
  readonly jump: { target: number };
  readonly save: { readonly slot: number };
  /** Saves the position at the start of a loop iteration. */
  readonly round: { readonly register: number };
  /** Leaves the loop after an empty iteration. */
  readonly progress: { readonly register: number; exit: number };
  readonly clear: { readonly register: number; readonly value: number };
  /** A counted loop that is too large to unroll. */
  readonly count: {
    readonly register: number;
    readonly last: number;
    readonly min: number;
    readonly max: number;
    readonly lazy: boolean;
    exit: number;
  };
  readonly anchor: { readonly anchor: AnchorKind; readonly ascii: boolean };
  readonly look: {
    readonly behind: boolean;
    readonly negated: boolean;
    readonly width: number;
    end: number;
  };
  readonly atomic: { end: number };
  readonly reference: { readonly group: number; readonly casing: CaseRule };
  readonly condition: { readonly group: number; no: number };
  readonly done: unknown;
}

export type Op<Name extends keyof Operations> = { readonly op: Name } & Operations[Name];
export type Instruction = { [Name in keyof Operations]: Op<Name> }[keyof Operations];

export interface Program {
  readonly code: readonly Instruction[];
  readonly registers: number;
  readonly groups: number;
  /** Number of choice points whose failures can be memoized by position; 0 if that would be incorrect. */
  readonly marks: number;
}

/** Instructions that unrolling a counted loop may add. */
const unrollBudget = 4096;

export function buildProgram(root: Node, groups: number): Program {
  const code: Instruction[] = [];
  let registers = 0;
  let marks = 0;
  let remembers = true;
  let unrolled = 0;

  const at = () => code.length;
  function put<I extends Instruction>(instruction: I): I {
    code.push(instruction);
    return instruction;
  }
  const split = (lazy: boolean) => put<Op<"split">>({ op: "split", other: 0, lazy, mark: marks++ });
  const jump = (target = 0) => put<Op<"jump">>({ op: "jump", target });

  function singleSet(node: Node): CodeSet | undefined {
    if (node.kind === "group") return singleSet(node.body);
    return node.kind === "literal" || node.kind === "set" ? codeSetOf(node) : undefined;
  }

  function emit(node: Node): void {
    switch (node.kind) {
      case "literal":
        if (node.casing === "exact") put({ op: "char", code: node.code });
        else put({ op: "set", set: codeSetOf(node) });
        return;
      case "set":
        put({ op: "set", set: codeSetOf(node) });
        return;
      case "anchor":
        put({ op: "anchor", anchor: node.anchor, ascii: node.ascii });
        return;
      case "sequence":
        for (const item of node.items) emit(item);
        return;
      case "choice":
        emitChoice(node.options);
        return;
      case "group":
        if (node.index > 0) put({ op: "save", slot: 2 * node.index });
        emit(node.body);
        if (node.index > 0) put({ op: "save", slot: 2 * node.index + 1 });
        return;
      case "repeat":
        if (node.mode === "possessive" && !isSingle(node.body)) {
          emitInside({ op: "atomic", end: 0 }, () => emitRepeat(node.body, node.min, node.max, "greedy"));
        } else emitRepeat(node.body, node.min, node.max, node.mode);
        return;
      case "atomic":
        emitInside({ op: "atomic", end: 0 }, () => emit(node.body));
        return;
      case "look": {
        const { behind, negated, body } = node;
        emitInside({ op: "look", behind, negated, width: body.low, end: 0 }, () => emit(body));
        return;
      }
      case "reference":
        remembers = false;
        put({ op: "reference", group: node.group, casing: node.casing });
        return;
      case "condition": {
        remembers = false;
        const condition = put<Op<"condition">>({ op: "condition", group: node.group, no: 0 });
        emit(node.yes);
        const over = jump();
        condition.no = at();
        emit(node.no);
        over.target = at();
        return;
      }
    }
  }

  /** Emits a body that is matched on its own, before the rest. */
  function emitInside(instruction: Op<"look"> | Op<"atomic">, body: () => void): void {
    put(instruction);
    body();
    put({ op: "done" });
    instruction.end = at();
  }

  function emitChoice(options: readonly Node[]): void {
    const jumps = options.slice(0, -1).map((option) => {
      const branch = split(false);
      emit(option);
      const over = jump();
      branch.other = at();
      return over;
    });
    const last = options.at(-1);
    if (last !== undefined) emit(last);
    for (const over of jumps) over.target = at();
  }

  function emitRepeat(body: Node, min: number, max: number, mode: RepeatMode): void {
    const set = singleSet(body);
    if (set !== undefined && isSingle(body)) {
      put({ op: "run", set, min, max, mode, mark: marks++ });
      return;
    }
    const lazy = mode === "lazy";
    const copies = max === Number.POSITIVE_INFINITY ? min : max;
    if (copies > 1) {
      const start = at();
      const registersBefore = registers;
      const marksBefore = marks;
      emit(body);
      const size = at() - start;
      code.length = start;
      registers = registersBefore;
      marks = marksBefore;
      if (unrolled + size * copies > unrollBudget) {
        emitCounted(body, min, max, lazy);
        return;
      }
      unrolled += size * copies;
    }
    for (let n = 0; n < min; n++) emit(body);
    if (max === Number.POSITIVE_INFINITY) emitLoop(body, lazy);
    else emitOptional(body, max - min, lazy);
  }

  /** Emits a loop iteration; an empty one leaves the loop through the returned instruction. */
  function emitRound(body: Node): Op<"progress"> | undefined {
    const register = isNullable(body) ? registers++ : undefined;
    if (register !== undefined) put({ op: "round", register });
    emit(body);
    return register === undefined ? undefined : put({ op: "progress", register, exit: 0 });
  }

  function leaveAt(exit: number, branch: Op<"split">, progress: Op<"progress"> | undefined): void {
    branch.other = exit;
    if (progress !== undefined) progress.exit = exit;
  }

  function emitLoop(body: Node, lazy: boolean): void {
    const head = at();
    const branch = split(lazy);
    const progress = emitRound(body);
    jump(head);
    leaveAt(at(), branch, progress);
  }

  function emitOptional(body: Node, count: number, lazy: boolean): void {
    const rounds = Array.from({ length: count }, () => [split(lazy), emitRound(body)] as const);
    for (const [branch, progress] of rounds) leaveAt(at(), branch, progress);
  }

  function emitCounted(body: Node, min: number, max: number, lazy: boolean): void {
    // Here a failure depends on the counter as well as on the position.
    remembers = false;
    const register = registers++;
    const last = registers++;
    put({ op: "clear", register, value: 0 });
    put({ op: "clear", register: last, value: -1 });
    const head = at();
    const count = put<Op<"count">>({ op: "count", register, last, min, max, lazy, exit: 0 });
    emit(body);
    jump(head);
    count.exit = at();
  }

  emit(root);
  put({ op: "done" });
  return { code, registers, groups, marks: remembers ? marks : 0 };
}
