/** Compiles statements into actions that write output. */
import { PyError, placed, typeError } from "../python/errors.ts";
import { str } from "../python/repr.ts";
import { isText, Markup, textOf, truth, typeName, type Value } from "../python/values.ts";
import { captured, createExpressionCompiler } from "./compile-expression.ts";
import { compileFor } from "./compile-loop.ts";
import { compileMacro } from "./compile-macro.ts";
import { compileExtends, compileFromImport, compileImport, compileInclude } from "./compile-modules.ts";
import { compileOutput } from "./compile-output.ts";
import { type Assign, compileTarget, targetNames } from "./compile-target.ts";
import type {
  AutoescapeNode,
  BlockNode,
  CallBlockNode,
  FilterBlockNode,
  FilterNode,
  IfNode,
  MacroNode,
  SetBlockNode,
  SetNode,
  Statement,
  WithNode,
} from "./nodes.ts";
import { type Action, BREAK, CONTINUE, type Expression, type Frame, NORMAL, Out } from "./runtime.ts";
import {
  type CompileBody,
  innerPlace,
  localsReader,
  type Place,
  scopeEntry,
  scopeExit,
  softPlace,
  type Unit,
} from "./unit.ts";

const NOTHING: Action = () => NORMAL;

export function createStatementCompiler(unit: Unit): {
  body(nodes: readonly Statement[], place: Place): Action;
} {
  const { expression, filter, callWith } = createExpressionCompiler(unit);

  const body = (nodes: readonly Statement[], place: Place): Action => {
    const actions = nodes.map((node) => guarded(node, place)).filter((action) => action !== undefined);
    const [first, second, third] = actions;
    if (first === undefined) return NOTHING;
    if (second === undefined) return first;
    if (third === undefined) {
      return (frame, out) => {
        const ending = first(frame, out);
        return ending === NORMAL ? second(frame, out) : ending;
      };
    }
    return (frame, out) => {
      for (let i = 0; i < actions.length; i++) {
        const ending = (actions[i] as Action)(frame, out);
        if (ending !== NORMAL) return ending;
      }
      return NORMAL;
    };
  };
  const anyBody = body as CompileBody;

  /** The statement with its place in the template added to the errors that pass. */
  const guarded = (node: Statement, place: Place): Action | undefined => {
    const action = statement(node, place);
    if (action === undefined || node.kind === "output") return action;
    const { at } = node;
    return (frame, out) => {
      try {
        return action(frame, out);
      } catch (error) {
        throw placed(error, unit.source.place(at));
      }
    };
  };

  const statement = (node: Statement, place: Place): Action | undefined => {
    switch (node.kind) {
      case "output":
        return compileOutput(unit, node, place, expression);
      case "for":
        return compileFor(unit, node, place, expression, anyBody);
      case "if":
        return condition(node, softPlace(place));
      case "set":
        return assignment(node, place);
      case "setblock":
        return setBlock(node, place);
      case "macro":
        return macro(node, place);
      case "callblock":
        return callBlock(node, place);
      case "filterblock":
        return filterBlock(node, place);
      case "with":
        return withBlock(node, place);
      case "autoescape":
        return autoescape(node, place);
      case "block":
        return block(node, place);
      case "extends":
        return compileExtends(unit, node, place, expression);
      case "include":
        return compileInclude(node, place, expression);
      case "import":
        return compileImport(node, place, expression);
      case "from":
        return compileFromImport(unit, node, place, expression);
      case "do": {
        const run = expression(node.node, place);
        return (frame) => {
          run(frame);
          return NORMAL;
        };
      }
      case "break":
      case "continue": {
        if (!place.inLoop) throw unit.source.error(`'${node.kind}' outside loop`, node.at);
        const ending = node.kind === "break" ? BREAK : CONTINUE;
        return () => ending;
      }
    }
  };

  const condition = (node: IfNode, place: Place): Action => {
    const branches = [node, ...node.elifs].map((branch) => ({
      test: expression(branch.test, place),
      run: body(branch.body, place),
    }));
    const otherwise = body(node.otherwise, place);
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

  /** Sets what the target names; at the top of a template also for those who import it. */
  const assigner = (target: SetNode["target"], place: Place): Assign => {
    const assign = compileTarget(target, place);
    if (!place.toplevel) return assign;
    const names = targetNames(target).map((name) => ({ name, index: place.scope.find(name)?.index ?? 0 }));
    return (frame, value) => {
      assign(frame, value);
      for (const { name, index } of names) publish(frame, name, index);
    };
  };

  const publish = (frame: Frame, name: string, index: number): void => {
    const value = frame.slots[index];
    if (value !== undefined) frame.context.vars.set(name, value);
    if (!name.startsWith("_")) frame.context.exported.add(name);
  };

  const assignment = (node: SetNode, place: Place): Action => {
    const value = expression(node.value, place);
    const assign = assigner(node.target, place);
    return (frame) => {
      assign(frame, value(frame));
      return NORMAL;
    };
  };

  const capture = (
    nodes: readonly Statement[],
    place: Place,
  ): ((frame: Frame, use: (text: string) => void) => 0 | 1 | 2) => {
    const run = body(nodes, place);
    const enter = scopeEntry(place.scope);
    const exit = scopeExit(place.scope);
    return (frame, use) => {
      const inner = new Out(frame.context.meter.limits.stringChars);
      enter?.(frame);
      const ending = run(frame, inner);
      if (ending === NORMAL) use(inner.text);
      exit(frame);
      return ending;
    };
  };

  /** A filter chain over captured text, which waits in a slot of its own. */
  const textFilter = (node: FilterNode, place: Place): ((frame: Frame, text: string) => Value) => {
    const index = place.owner.slots++;
    const input: Expression = (frame) => captured(String(frame.slots[index]), unit.escaping, frame);
    const run = filter(node, place, input);
    return (frame, text) => {
      frame.slots[index] = text;
      return run(frame);
    };
  };

  const setBlock = (node: SetBlockNode, place: Place): Action => {
    const inner: Place = { ...innerPlace(place), checksOutput: false };
    inner.scope.analyse(node.filter === undefined ? node.body : [...node.body, node.filter]);
    const run = capture(node.body, inner);
    const assign = assigner(node.target, place);
    const filtered = node.filter?.kind === "filter" ? textFilter(node.filter, inner) : undefined;
    return (frame) =>
      run(frame, (text) => {
        const value = filtered === undefined ? text : filtered(frame, text);
        assign(frame, frame.context.autoescape ? new Markup(str(value, frame.context.meter)) : value);
      });
  };

  const macro = (node: MacroNode, place: Place): Action => {
    const make = compileMacro(unit, node, place, expression, anyBody);
    const index = place.scope.find(node.name)?.index ?? 0;
    return (frame) => {
      frame.slots[index] = make(frame);
      if (place.toplevel) publish(frame, node.name, index);
      return NORMAL;
    };
  };

  const callBlock = (node: CallBlockNode, place: Place): Action => {
    const caller = compileMacro(unit, node, place, expression, anyBody);
    const run = callWith(node.call, place, caller);
    return (frame, out) => {
      out.write(writable(run(frame)));
      return NORMAL;
    };
  };

  const filterBlock = (node: FilterBlockNode, place: Place): Action | undefined => {
    if (node.filter.kind !== "filter") return undefined;
    const inner = innerPlace(place);
    inner.scope.analyse([...node.body, node.filter]);
    const run = capture(node.body, inner);
    const filtered = textFilter(node.filter, inner);
    return (frame, out) => run(frame, (text) => out.write(writable(filtered(frame, text))));
  };

  const withBlock = (node: WithNode, place: Place): Action => {
    const inner = innerPlace(place);
    inner.scope.analyse([...node.targets, ...node.body]);
    const sets = node.targets.map((target, i) => {
      const given = node.values[i];
      if (given === undefined) throw unit.source.error("a name of 'with' has no value", node.at);
      const value = expression(given, place);
      const assign = compileTarget(target, inner);
      return (frame: Frame): void => assign(frame, value(frame));
    });
    const run = body(node.body, inner);
    const enter = scopeEntry(inner.scope);
    const exit = scopeExit(inner.scope);
    return (frame, out) => {
      enter?.(frame);
      for (const set of sets) set(frame);
      const ending = run(frame, out);
      exit(frame);
      return ending;
    };
  };

  const autoescape = (node: AutoescapeNode, place: Place): Action => {
    const inner = innerPlace(place);
    inner.scope.analyse([node.value, ...node.body]);
    const value = expression(node.value, inner);
    const { escaping } = unit;
    const before = { ...escaping };
    if (node.value.kind === "const") escaping.on = truth(node.value.value);
    else escaping.dynamic = true;
    const run = body(node.body, inner);
    Object.assign(escaping, before);
    const enter = scopeEntry(inner.scope);
    const exit = scopeExit(inner.scope);
    return (frame, out) => {
      const state = frame.context.escaping;
      const was = state.on;
      enter?.(frame);
      state.on = truth(value(frame));
      const ending = run(frame, out);
      state.on = was;
      exit(frame);
      return ending;
    };
  };

  const block = (node: BlockNode, place: Place): Action | undefined => {
    if (place.toplevel && unit.knownExtends) return undefined;
    const checked = place.toplevel && unit.extendsSoFar > 0;
    const locals = node.scoped ? localsReader(place) : undefined;
    const { name } = node;
    return (frame, out) => {
      if (checked && frame.root.parent !== undefined) return NORMAL;
      const { context } = frame;
      const bodies = context.blocks.get(name) ?? [];
      if (node.required && bodies.length <= 1) {
        throw new PyError("TemplateRuntimeError", `Required block '${name}' not found`);
      }
      context.meter.enter();
      bodies[0]?.(locals === undefined ? context : context.derived(locals(frame)), out);
      context.meter.leave();
      return NORMAL;
    };
  };

  return { body };
}

/** What a call block or filter block gives must be text. */
function writable(value: Value): string {
  if (isText(value)) return textOf(value);
  throw typeError(`expected str instance, ${typeName(value)} found`);
}
