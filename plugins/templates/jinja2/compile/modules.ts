/** Compiles `include`, `import`, `from ... import` and `extends`: all that loads another template. */
import {
  isText,
  itemsOf,
  PyError,
  TemplateError,
  textOf,
  typeError,
  typeName,
  Undefined,
  type Value,
} from "../../python/index.ts";
import { TemplateModule } from "../run/module.ts";
import {
  type Action,
  type Frame,
  newContext,
  Out,
  type RenderContext,
  sharedContext,
  type Template,
} from "../run/runtime.ts";
import type { NodeOf } from "../syntax/nodes.ts";
import { localsReader, type Place, type Unit } from "./unit.ts";

function templateNamed(name: Value, context: RenderContext): Template {
  if (name instanceof Undefined) return name.fail();
  if (!isText(name)) throw typeError(`a template's name must be text, not ${typeName(name)}`);
  const { run } = context;
  run.loaded ??= new Map();
  const templateName = textOf(name);
  let template = run.loaded.get(templateName);
  if (template === undefined) {
    template = run.library.load(templateName);
    run.loaded.set(templateName, template);
  }
  return template;
}

/** Selects the first template that exists. */
function selectTemplate(names: Value, context: RenderContext): Template {
  if (names instanceof Undefined || isText(names)) return templateNamed(names, context);
  const tried: string[] = [];
  for (const name of names === null ? [] : itemsOf(names, context.meter)) {
    if (name instanceof Undefined) {
      tried.push(name.hint);
      continue;
    }
    try {
      return templateNamed(name, context);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      tried.push(isText(name) ? textOf(name) : "");
    }
  }
  const message =
    tried.length === 0
      ? "Tried to select from an empty list of templates."
      : `none of the templates given were found: ${tried.join(", ")}`;
  throw new TemplateError("TemplateNotFound", message);
}

function render(template: Template, context: RenderContext, out: Out): void {
  context.meter.step();
  context.meter.enter();
  template.render(context, out);
  context.meter.leave();
}

function moduleOf(template: Template, context: RenderContext): TemplateModule {
  const out = new Out(context.meter.limits.stringChars);
  render(template, context, out);
  const exports = new Map<string, Value>();
  for (const name of context.exported) {
    const value = context.vars.get(name);
    if (value !== undefined) exports.set(name, value);
  }
  return new TemplateModule(template.name, exports, out.text);
}

/** The module of an import without context, rendered once per run. */
function defaultModule(template: Template, { run }: RenderContext): TemplateModule {
  run.modules ??= new Map();
  const cached = run.modules.get(template);
  if (cached instanceof TemplateModule) return cached;
  const module = moduleOf(template, newContext(run, template, new Map()));
  run.modules.set(template, module);
  return module;
}

const isNotFound = (error: unknown): boolean =>
  error instanceof TemplateError && error.kind === "TemplateNotFound";

export function compileInclude(node: NodeOf<"include">, place: Place, unit: Unit): Action {
  const name = unit.expression(node.template, place);
  const locals = localsReader(place);
  const { ignoreMissing, withContext } = node;
  const find = (frame: Frame): Template | undefined => {
    try {
      return selectTemplate(name(frame), frame.context);
    } catch (error) {
      if (ignoreMissing && isNotFound(error)) return undefined;
      throw error;
    }
  };
  return (frame, out) => {
    const template = find(frame);
    if (template === undefined) return;
    const { context } = frame;
    if (withContext) render(template, sharedContext(context, template, locals(frame)), out);
    else out.write(defaultModule(template, context).text);
  };
}

function importer(
  { template: named, withContext }: NodeOf<"import" | "from">,
  place: Place,
  unit: Unit,
): (frame: Frame) => TemplateModule {
  const name = unit.expression(named, place);
  const locals = localsReader(place);
  return (frame) => {
    const { context } = frame;
    const template = templateNamed(name(frame), context);
    if (!withContext) return defaultModule(template, context);
    return moduleOf(template, sharedContext(context, template, locals(frame)));
  };
}

/** Binds an imported name, which is not exported again. */
function importInto(name: string, { scope, toplevel }: Place): (frame: Frame, value: Value) => void {
  const index = scope.find(name)?.index ?? 0;
  return (frame, value) => {
    frame.slots[index] = value;
    if (!toplevel) return;
    frame.context.set(name, value);
    frame.context.exported.delete(name);
  };
}

export function compileImport(node: NodeOf<"import">, place: Place, unit: Unit): Action {
  const load = importer(node, place, unit);
  const store = importInto(node.target, place);
  return (frame) => {
    store(frame, load(frame));
  };
}

export function compileFromImport(node: NodeOf<"from">, place: Place, unit: Unit): Action {
  const load = importer(node, place, unit);
  const targets = node.names.map(([name, alias]) => ({ name, store: importInto(alias, place) }));
  const { line } = unit.source.place(node.at);
  return (frame) => {
    const module = load(frame);
    for (const { name, store } of targets) {
      const hint = `the template '${module.name ?? ""}' (imported on line ${line}) does not export the requested name '${name}'`;
      const exported = module.getattr(name);
      store(frame, exported === undefined ? frame.context.undefined(hint) : exported);
    }
  };
}

export function compileExtends(node: NodeOf<"extends">, place: Place, unit: Unit): Action {
  if (!place.toplevel) throw unit.source.error("cannot use extend from a non top-level scope", node.at);
  const name = unit.expression(node.template, place);
  const alreadyKnown = unit.knownExtends;
  if (place.rootlevel) unit.knownExtends = true;
  unit.extendsSoFar++;
  return (frame) => {
    const { context, root } = frame;
    if (alreadyKnown || root.parent !== undefined)
      throw new PyError("TemplateRuntimeError", "extended multiple times");
    root.parent = templateNamed(name(frame), context);
    for (const [block, body] of root.parent.blocks) {
      const bodies = context.blocks.get(block);
      if (bodies === undefined) context.blocks.set(block, [body]);
      else bodies.push(body);
    }
  };
}
