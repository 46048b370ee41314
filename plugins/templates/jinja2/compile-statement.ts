/** Compiles statements into actions that write output. */
import { PyError, typeError } from "../python/errors.ts";
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
import * as make from "./statements.ts";
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
    const actions: Action[] = [];
    const offsets: number[] = [];
    for (const node of nodes) {
      const action = statement(node, place);
      if (action === undefined) continue;
      actions.push(action);
      offsets.push(node.at);
    }
    const [only] = actions;
    if (only === undefined) return NOTHING;
    // Output places its errors itself.
    if (actions.length === 1 && nodes.length === 1 && nodes[0]?.kind === "output") return only;
    return make.sequence(actions, offsets, unit.source);
  };
  const anyBody = body as CompileBody;

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
      case "do":
        return make.doing(expression(node.node, place));
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
    return make.conditional(branches, body(node.otherwise, place));
  };

  /** Sets what the target names; at the top of a template also for those who import it. */
  const assigner = (target: SetNode["target"], place: Place): Assign => {
    const assign = compileTarget(target, place);
    if (!place.toplevel) return assign;
    const names = targetNames(target).map((name) => ({ name, index: place.scope.find(name)?.index ?? 0 }));
    return make.publishing(assign, names);
  };

  const assignment = (node: SetNode, place: Place): Action => {
    const value = expression(node.value, place);
    return make.assignment(assigner(node.target, place), value);
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
    const value = compileMacro(unit, node, place, expression, anyBody);
    const { toplevel } = place;
    const published = { name: node.name, index: place.scope.find(node.name)?.index ?? 0 };
    return (frame) => {
      frame.slots[published.index] = value(frame);
      if (toplevel) make.publish(frame, published);
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
    const { name, required } = node;
    return (frame, out) => {
      if (checked && frame.root.parent !== undefined) return NORMAL;
      const { context } = frame;
      const bodies = context.blocks.get(name) ?? [];
      if (required && bodies.length <= 1) {
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
