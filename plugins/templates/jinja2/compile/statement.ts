/** Compiles statements to actions that write output. */
import {
  isText,
  Markup,
  PyError,
  placed,
  str,
  textOf,
  truth,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import { type Action, BREAK, CONTINUE, captured, type Expression, type Frame, Out } from "../run/runtime.ts";
import type { Expr, NodeOf, Statement, Target } from "../syntax/nodes.ts";
import type { Source } from "../syntax/source.ts";
import { compileCall, compileFilter } from "./call.ts";
import { compileFor } from "./loop.ts";
import { compileMacro } from "./macro.ts";
import { compileExtends, compileFromImport, compileImport, compileInclude } from "./modules.ts";
import { compileOutput } from "./output.ts";
import { type Assign, compileTarget, targetNames } from "./target.ts";
import { innerPlace, localsReader, type Place, scoped, softPlace, type Unit } from "./unit.ts";

type Kind = Statement["kind"];
/** Returns `undefined` if there is nothing to run. */
type Compile<K extends Kind> = (node: NodeOf<K>, place: Place, unit: Unit) => Action | undefined;

function compileStatement<K extends Kind>(node: NodeOf<K>, place: Place, unit: Unit): Action | undefined {
  const compile: Compile<K> = compilers[node.kind];
  return compile(node, place, unit);
}

export function compileBody(nodes: readonly Statement[], place: Place, unit: Unit): Action {
  const actions: Action[] = [];
  const offsets: number[] = [];
  for (const node of nodes) {
    const action = compileStatement(node, place, unit);
    if (action === undefined) continue;
    actions.push(action);
    offsets.push(node.at);
  }
  const [only] = actions;
  if (only === undefined) return () => undefined;
  // Output adds the position to its own errors.
  if (nodes.length === 1 && nodes[0]?.kind === "output") return only;
  return sequence(actions, offsets, unit.source);
}

/** Runs statements in order and adds the position to their errors. */
function sequence(actions: readonly Action[], offsets: readonly number[], source: Source): Action {
  return (frame, out) => {
    let i = 0;
    try {
      for (; i < actions.length; i++) {
        const ending = (actions[i] as Action)(frame, out);
        if (ending !== undefined) return ending;
      }
    } catch (error) {
      throw placed(error, source.place(offsets[i] ?? 0));
    }
  };
}

const compileIf: Compile<"if"> = (node, outside, unit) => {
  const place = softPlace(outside);
  const branches = [node, ...node.elifs].map(({ test, body }) => ({
    test: unit.expression(test, place),
    run: unit.body(body, place),
  }));
  const otherwise = unit.body(node.otherwise, place);
  const [first] = branches;
  if (branches.length === 1 && first !== undefined) {
    const { test, run } = first;
    return (frame, out) => (truth(test(frame)) ? run(frame, out) : otherwise(frame, out));
  }
  return (frame, out) => {
    for (const { test, run } of branches) if (truth(test(frame))) return run(frame, out);
    return otherwise(frame, out);
  };
};

/** Publishes a variable set at the top level to importing templates. */
function publish(frame: Frame, name: string, index: number): void {
  const value = frame.slots[index];
  if (value !== undefined) frame.context.set(name, value);
  if (!name.startsWith("_")) frame.context.exported.add(name);
}

const indexOf = (name: string, { scope }: Place): number => scope.find(name)?.index ?? 0;

/** Assigns to a target. */
function assigner(target: Target, place: Place): Assign {
  const assign = compileTarget(target, place);
  if (!place.toplevel) return assign;
  const names = targetNames(target).map((name) => [name, indexOf(name, place)] as const);
  return (frame, value) => {
    assign(frame, value);
    for (const [name, index] of names) publish(frame, name, index);
  };
}

const compileSet: Compile<"set"> = ({ target, value }, place, unit) => {
  const expression = unit.expression(value, place);
  const assign = assigner(target, place);
  return (frame) => {
    assign(frame, expression(frame));
  };
};

/** Captures the output of a body and passes it to `use`. */
function capture(run: Action, use: (text: string, frame: Frame, out: Out) => void): Action {
  return (frame, out) => {
    const inner = new Out(frame.context.meter.limits.stringChars);
    const ending = run(frame, inner);
    if (ending === undefined) use(inner.text, frame, out);
    return ending;
  };
}

/** Applies filters to captured text, which is kept in its own slot. */
function textFilter(
  filter: Expr | undefined,
  place: Place,
  unit: Unit,
): ((text: string, frame: Frame) => Value) | undefined {
  if (filter?.kind !== "filter") return undefined;
  const index = place.owner.slots++;
  const { escaping } = unit;
  const input: Expression = (frame) => captured(String(frame.slots[index]), escaping, frame);
  const run = compileFilter(filter, place, unit, input);
  return (text, frame) => {
    frame.slots[index] = text;
    return run(frame);
  };
}

const compileSetBlock: Compile<"setblock"> = ({ target, filter, body }, place, unit) => {
  const inner: Place = { ...innerPlace(place), checksOutput: false };
  inner.scope.analyse(filter === undefined ? body : [...body, filter]);
  const run = unit.body(body, inner);
  const assign = assigner(target, place);
  const filtered = textFilter(filter, inner, unit);
  const store = capture(run, (text, frame) => {
    const { autoescape, meter } = frame.context;
    const value = filtered === undefined ? text : filtered(text, frame);
    assign(frame, autoescape ? new Markup(str(value, meter)) : value);
  });
  return scoped(inner, store);
};

const compileFilterBlock: Compile<"filterblock"> = ({ filter, body }, place, unit) => {
  const inner = innerPlace(place);
  inner.scope.analyse([...body, filter]);
  const run = unit.body(body, inner);
  const filtered = textFilter(filter, inner, unit);
  if (filtered === undefined) return undefined;
  return scoped(
    inner,
    capture(run, (text, frame, out) => out.write(writable(filtered(text, frame)))),
  );
};

/** The result of a call block or filter block must be text. */
function writable(value: Value): string {
  if (isText(value)) return textOf(value);
  throw typeError(`expected str instance, ${typeName(value)} found`);
}

const defineMacro: Compile<"macro"> = (node, place, unit) => {
  const value = compileMacro(node, place, unit);
  const { name } = node;
  const { toplevel } = place;
  const index = indexOf(name, place);
  return (frame) => {
    frame.slots[index] = value(frame);
    if (toplevel) publish(frame, name, index);
  };
};

const compileCallBlock: Compile<"callblock"> = (node, place, unit) => {
  const run = compileCall(node.call, place, unit, compileMacro(node, place, unit));
  return (frame, out) => {
    out.write(writable(run(frame)));
  };
};

const compileWith: Compile<"with"> = (node, place, unit) => {
  const inner = innerPlace(place);
  inner.scope.analyse([...node.targets, ...node.body]);
  const sets = node.targets.map((target, i) => {
    const value = node.values[i];
    if (value === undefined) throw unit.source.error("a name of 'with' has no value", node.at);
    return [compileTarget(target, inner), unit.expression(value, place)] as const;
  });
  const run = unit.body(node.body, inner);
  return scoped(inner, (frame, out) => {
    for (const [assign, value] of sets) assign(frame, value(frame));
    return run(frame, out);
  });
};

const compileAutoescape: Compile<"autoescape"> = (node, place, unit) => {
  const inner = innerPlace(place);
  inner.scope.analyse([node.value, ...node.body]);
  const value = unit.expression(node.value, inner);
  const before = unit.escaping;
  const setting = node.value.kind === "const" ? { on: truth(node.value.value) } : { dynamic: true };
  unit.escaping = { ...before, ...setting };
  const run = unit.body(node.body, inner);
  unit.escaping = before;
  return scoped(inner, (frame, out) => {
    const state = frame.context.escaping;
    const was = state.on;
    state.on = truth(value(frame));
    const ending = run(frame, out);
    state.on = was;
    return ending;
  });
};

const compileBlock: Compile<"block"> = ({ name, required, scoped: seesLocals }, place, unit) => {
  if (place.toplevel && unit.knownExtends) return undefined;
  const checked = place.toplevel && unit.extendsSoFar > 0;
  const locals = seesLocals ? localsReader(place) : undefined;
  return (frame, out) => {
    if (checked && frame.root.parent !== undefined) return;
    const { context } = frame;
    const bodies = context.blocks.get(name) ?? [];
    if (required && bodies.length <= 1)
      throw new PyError("TemplateRuntimeError", `Required block '${name}' not found`);
    context.meter.enter();
    bodies[0]?.(locals === undefined ? context : context.derived(locals(frame)), out);
    context.meter.leave();
  };
};

const jump: Compile<"break" | "continue"> = ({ kind, at }, { inLoop }, { source }) => {
  if (!inLoop) throw source.error(`'${kind}' outside loop`, at);
  const ending = kind === "break" ? BREAK : CONTINUE;
  return () => ending;
};

const compilers: { readonly [K in Kind]: Compile<K> } = {
  output: compileOutput,
  for: compileFor,
  if: compileIf,
  set: compileSet,
  setblock: compileSetBlock,
  macro: defineMacro,
  callblock: compileCallBlock,
  filterblock: compileFilterBlock,
  with: compileWith,
  autoescape: compileAutoescape,
  block: compileBlock,
  extends: compileExtends,
  include: compileInclude,
  import: compileImport,
  from: compileFromImport,
  break: jump,
  continue: jump,
  do: ({ node }, place, unit) => {
    const run = unit.expression(node, place);
    return (frame) => {
      run(frame);
    };
  },
};
