/** Turns a tree into the instructions of the own matcher. */
import { type AnchorKind, type CaseRule, isSingle, type Node, type RepeatMode } from "./ast.ts";
import { type CodeSet, codeSetOf } from "./code-set.ts";
import { isNullable } from "./shape.ts";

/** What each instruction holds; targets are set when what they jump over has been written. */
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
  /** Tries the next instruction first, then `other`; a lazy one the other way round. */
  readonly split: { other: number; readonly lazy: boolean; readonly mark: number };
  readonly jump: { target: number };
  readonly save: { readonly slot: number };
  /** Remembers the position at which a round of a loop begins. */
  readonly round: { readonly register: number };
  /** Leaves the loop after an empty round. */
  readonly progress: { readonly register: number; exit: number };
  readonly clear: { readonly register: number; readonly value: number };
  /** Counted loop that is too big to be unrolled. */
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
  /** Number of points of choice whose failures can be remembered by position; 0 where that would be wrong. */
  readonly marks: number;
}

/** Instructions that the copies of one counted loop may take. */
const unrollBudget = 4096;

export function buildProgram(root: Node, groups: number): Program {
  const code: Instruction[] = [];
  let registers = 0;
  let marks = 0;
  let remembers = true;
  let unrolled = 0;

  const at = () => code.length;
  const split = (lazy: boolean) => {
    const instruction: Op<"split"> = { op: "split", other: 0, lazy, mark: marks++ };
    code.push(instruction);
    return instruction;
  };

  function singleSet(node: Node): CodeSet | undefined {
    if (node.kind === "group") return singleSet(node.body);
    return node.kind === "literal" || node.kind === "set" ? codeSetOf(node) : undefined;
  }

  function emit(node: Node): void {
    switch (node.kind) {
      case "literal":
        if (node.casing === "exact") code.push({ op: "char", code: node.code });
        else code.push({ op: "set", set: codeSetOf(node) });
        return;
      case "set":
        code.push({ op: "set", set: codeSetOf(node) });
        return;
      case "anchor":
        code.push({ op: "anchor", anchor: node.anchor, ascii: node.ascii });
        return;
      case "sequence":
        for (const item of node.items) emit(item);
        return;
      case "choice":
        emitChoice(node.options);
        return;
      case "group":
        if (node.index > 0) code.push({ op: "save", slot: 2 * node.index });
        emit(node.body);
        if (node.index > 0) code.push({ op: "save", slot: 2 * node.index + 1 });
        return;
      case "repeat":
        if (node.mode === "possessive" && !isSingle(node.body)) {
          emitAtomic(() => emitRepeat(node.body, node.min, node.max, "greedy"));
        } else emitRepeat(node.body, node.min, node.max, node.mode);
        return;
      case "atomic":
        emitAtomic(() => emit(node.body));
        return;
      case "look": {
        const { behind, negated } = node;
        const width = node.body.low;
        const look: Op<"look"> = { op: "look", behind, negated, width, end: 0 };
        code.push(look);
        emit(node.body);
        code.push({ op: "done" });
        look.end = at();
        return;
      }
      case "reference":
        remembers = false;
        code.push({ op: "reference", group: node.group, casing: node.casing });
        return;
      case "condition": {
        remembers = false;
        const condition: Op<"condition"> = { op: "condition", group: node.group, no: 0 };
        code.push(condition);
        emit(node.yes);
        const jump: Op<"jump"> = { op: "jump", target: 0 };
        code.push(jump);
        condition.no = at();
        emit(node.no);
        jump.target = at();
        return;
      }
    }
  }

  function emitAtomic(body: () => void): void {
    const atomic: Op<"atomic"> = { op: "atomic", end: 0 };
    code.push(atomic);
    body();
    code.push({ op: "done" });
    atomic.end = at();
  }

  function emitChoice(options: readonly Node[]): void {
    const jumps: Op<"jump">[] = [];
    options.forEach((option, index) => {
      if (index === options.length - 1) {
        emit(option);
        return;
      }
      const branch = split(false);
      emit(option);
      const jump: Op<"jump"> = { op: "jump", target: 0 };
      code.push(jump);
      jumps.push(jump);
      branch.other = at();
    });
    for (const jump of jumps) jump.target = at();
  }

  function emitRepeat(body: Node, min: number, max: number, mode: RepeatMode): void {
    const set = singleSet(body);
    if (set !== undefined && isSingle(body)) {
      code.push({ op: "run", set, min, max, mode, mark: marks++ });
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

  function emitLoop(body: Node, lazy: boolean): void {
    const guarded = isNullable(body);
    const register = guarded ? registers++ : 0;
    const head = at();
    const branch = split(lazy);
    if (guarded) code.push({ op: "round", register });
    emit(body);
    const progress: Op<"progress"> = { op: "progress", register, exit: 0 };
    if (guarded) code.push(progress);
    code.push({ op: "jump", target: head });
    branch.other = at();
    progress.exit = at();
  }

  function emitOptional(body: Node, count: number, lazy: boolean): void {
    const guarded = isNullable(body);
    const exits: ((exit: number) => void)[] = [];
    for (let n = 0; n < count; n++) {
      const branch = split(lazy);
      exits.push((exit) => {
        branch.other = exit;
      });
      const register = guarded ? registers++ : 0;
      if (guarded) code.push({ op: "round", register });
      emit(body);
      if (!guarded) continue;
      const progress: Op<"progress"> = { op: "progress", register, exit: 0 };
      code.push(progress);
      exits.push((exit) => {
        progress.exit = exit;
      });
    }
    for (const setExit of exits) setExit(at());
  }

  function emitCounted(body: Node, min: number, max: number, lazy: boolean): void {
    // A failure here depends on the count as well as on the position.
    remembers = false;
    const register = registers++;
    const last = registers++;
    code.push({ op: "clear", register, value: 0 }, { op: "clear", register: last, value: -1 });
    const head = at();
    const count: Op<"count"> = { op: "count", register, last, min, max, lazy, exit: 0 };
    code.push(count);
    emit(body);
    code.push({ op: "jump", target: head });
    count.exit = at();
  }

  emit(root);
  code.push({ op: "done" });
  return { code, registers, groups, marks: remembers ? marks : 0 };
}
