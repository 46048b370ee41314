/** Compiles macros and call blocks. */
import { Macro, type MacroArguments, type MacroShape } from "../run/macro.ts";
import { type Expression, Frame, Out } from "../run/runtime.ts";
import type { NodeOf } from "../syntax/nodes.ts";
import { undeclared } from "../syntax/walk.ts";
import { FunctionScope, type Slot } from "./scope.ts";
import { type Place, placeIn, scopeEntry, type Unit } from "./unit.ts";

/** Creates the macro; it sees surrounding variables as they are when it is called. */
export function compileMacro(node: NodeOf<"macro" | "callblock">, place: Place, unit: Unit): Expression {
  const owner = new FunctionScope(place.owner);
  const inner = placeIn(owner, place.scope);
  const { scope } = inner;
  scope.analyse([...node.params, ...node.defaults, ...node.body]);
  const parameters = node.params.map(({ name }) => name);
  const special = undeclared(node.body, ["caller", "kwargs", "varargs"]);
  const callerAt = parameters.indexOf("caller");
  if (special.has("caller") && callerAt >= 0 && callerAt < parameters.length - node.defaults.length) {
    throw unit.source.error(
      'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
      node.at,
    );
  }
  const extra = (name: string): Slot | undefined =>
    special.has(name) && !parameters.includes(name) ? scope.param(name) : undefined;
  const callerSlot = extra("caller");
  const kwargsSlot = extra("kwargs");
  const varargsSlot = extra("varargs");
  const shape: MacroShape = {
    name: node.kind === "macro" ? node.name : undefined,
    parameters,
    takesCaller: special.has("caller"),
    takesKwargs: kwargsSlot !== undefined,
    takesVarargs: varargsSlot !== undefined,
  };

  const slots = node.params.map(({ name }) => scope.find(name)?.index ?? 0);
  const defaults = node.params.map((_, i) => {
    const value = node.defaults[i - node.params.length + node.defaults.length];
    return value === undefined ? undefined : unit.expression(value, inner);
  });
  const run = unit.body(node.body, inner);
  const enter = scopeEntry(scope);

  const invoke = (outer: Frame, macroArgs: MacroArguments): string => {
    const { context } = outer;
    const frame = new Frame(owner.slots, outer, context, outer.root);
    for (let i = 0; i < slots.length; i++) frame.slots[slots[i] ?? 0] = macroArgs.values[i];
    if (callerSlot !== undefined) {
      // As in the reference, None counts as no caller.
      frame.slots[callerSlot.index] = macroArgs.caller ?? context.undefined("No caller defined");
    }
    if (kwargsSlot !== undefined) frame.slots[kwargsSlot.index] = macroArgs.kwargs;
    if (varargsSlot !== undefined) frame.slots[varargsSlot.index] = macroArgs.varargs;
    enter?.(frame);
    for (let i = 0; i < slots.length; i++) {
      if (macroArgs.values[i] !== undefined) continue;
      const absent = defaults[i];
      frame.slots[slots[i] ?? 0] =
        absent === undefined
          ? context.undefined(`parameter '${parameters[i]}' was not provided`)
          : absent(frame);
    }
    const out = new Out(context.meter.limits.stringChars);
    run(frame, out);
    return out.text;
  };

  return (frame) =>
    new Macro(shape, (macroArgs) => invoke(frame, macroArgs), frame.context.autoescape, frame.context.meter);
}
