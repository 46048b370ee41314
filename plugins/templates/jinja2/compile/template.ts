/** Compiles the source of a template. */

import { superBlock, TemplateReference } from "../run/module.ts";
import {
  type Action,
  type BlockBody,
  Frame,
  type Out,
  type RenderContext,
  type Root,
  type Template,
} from "../run/runtime.ts";
import { tokenize } from "../syntax/lexer.ts";
import type { NodeOf, Statement } from "../syntax/nodes.ts";
import { parseTemplate } from "../syntax/parse-statement.ts";
import { rulesFor } from "../syntax/rules.ts";
import { createSource } from "../syntax/source.ts";
import { TokenStream } from "../syntax/tokens.ts";
import { descendants, undeclared } from "../syntax/walk.ts";
import { compileExpression } from "./expression.ts";
import { FunctionScope, type Slot } from "./scope.ts";
import { compileBody } from "./statement.ts";
import { type Language, placeIn, scopeEntry, type Unit } from "./unit.ts";

/** @throws TemplateError `TemplateSyntax` or `TemplateLimit`. */
export function compileTemplate(text: string, name: string | undefined, language: Language): Template {
  const { options, maxDepth } = language;
  const source = createSource(text, name, options.keepTrailingNewline);
  const stream = new TokenStream(source, tokenize(source, rulesFor(options)));
  const tree = parseTemplate(stream, options, maxDepth);
  const nodes = [...descendants(tree)];
  const unit: Unit = {
    ...language,
    source,
    blocks: new Map(),
    escaping: { on: options.autoescape, dynamic: false },
    hasExtends: nodes.some(({ kind }) => kind === "extends"),
    knownExtends: false,
    extendsSoFar: 0,
    expression: (node, place) => compileExpression(node, place, unit),
    body: (body, place) => compileBody(body, place, unit),
  };
  const blocks = nodes.filter((node) => node.kind === "block");
  const names = new Set<string>();
  for (const block of blocks) {
    if (names.has(block.name)) throw source.error(`block '${block.name}' defined twice`, block.at);
    names.add(block.name);
  }
  const root = compileRoot(unit, tree.body);
  for (const block of blocks) unit.blocks.set(block.name, compileBlock(block, unit));
  return root;
}

/** A compiled template. */
class Compiled implements Template {
  constructor(
    readonly name: string | undefined,
    readonly blocks: ReadonlyMap<string, BlockBody>,
    private readonly owner: FunctionScope,
    private readonly self: Slot | undefined,
    private readonly enter: ((frame: Frame) => void) | undefined,
    private readonly run: Action,
  ) {}

  render(context: RenderContext, out: Out): void {
    const state: Root = { parent: undefined };
    const frame = new Frame(this.owner.slots, undefined, context, state);
    if (this.self !== undefined) frame.slots[this.self.index] = new TemplateReference(context);
    this.enter?.(frame);
    this.run(frame, out);
    if (state.parent === undefined) return;
    context.meter.enter();
    state.parent.render(context, out);
    context.meter.leave();
  }
}

function compileRoot(unit: Unit, nodes: readonly Statement[]): Template {
  const options = { toplevel: true, rootlevel: true, checksOutput: unit.hasExtends };
  const place = placeIn(new FunctionScope(), undefined, options);
  const { scope, owner } = place;
  const self = undeclared(nodes, ["self"]).has("self") ? scope.param("self") : undefined;
  scope.analyse(nodes);
  const run = unit.body(nodes, place);
  return new Compiled(unit.source.name, unit.blocks, owner, self, scopeEntry(scope), run);
}

function compileBlock({ name, body }: NodeOf<"block">, unit: Unit): BlockBody {
  const owner = new FunctionScope();
  const place = placeIn(owner);
  const { scope } = place;
  const special = undeclared(body, ["self", "super"]);
  const self = special.has("self") ? scope.param("self") : undefined;
  const parent = special.has("super") ? scope.param("super") : undefined;
  scope.analyse(body);
  const run = unit.body(body, place);
  const enter = scopeEntry(scope);
  const render: BlockBody = (context, out) => {
    const frame = new Frame(owner.slots, undefined, context, { parent: undefined });
    if (self !== undefined) frame.slots[self.index] = new TemplateReference(context);
    if (parent !== undefined) frame.slots[parent.index] = superBlock(name, context, render);
    enter?.(frame);
    run(frame, out);
  };
  return render;
}
