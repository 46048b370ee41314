/** Templates and blocks as values: the result of `import`, `self` and `super`. */
import { Markup, PyObject, type Value } from "../../python/index.ts";
import { type BlockBody, Out, type RenderContext } from "./runtime.ts";

export class TemplateModule extends PyObject {
  override readonly typeName = "TemplateModule";
  constructor(
    readonly name: string | undefined,
    private readonly exports: ReadonlyMap<string, Value>,
    /** The template's own output. */
    readonly text: string,
  ) {
    super();
  }
  override str(): string {
    return this.text;
  }
  override repr(): string {
    return `<TemplateModule ${this.name === undefined ? "memory" : `'${this.name}'`}>`;
  }
  override getattr(name: string): Value | undefined {
    return this.exports.get(name);
  }
  override html(): string {
    return this.text;
  }
}

/** A callable block; `.super` is the block it overrides. */
class BlockReference extends PyObject {
  override readonly typeName = "BlockReference";
  constructor(
    private readonly name: string,
    private readonly context: RenderContext,
    private readonly bodies: readonly BlockBody[],
    private readonly depth: number,
  ) {
    super();
  }
  override call(): Value {
    const body = this.bodies[this.depth];
    const { meter } = this.context;
    const out = new Out(meter.limits.stringChars);
    meter.enter();
    body?.(this.context, out);
    meter.leave();
    return this.context.autoescape ? new Markup(out.text) : out.text;
  }
  override getattr(name: string): Value | undefined {
    return name === "super" ? blockAt(this.name, this.context, this.bodies, this.depth + 1) : undefined;
  }
}

function blockAt(name: string, context: RenderContext, bodies: readonly BlockBody[], depth: number): Value {
  return depth < bodies.length
    ? new BlockReference(name, context, bodies, depth)
    : context.undefined(`there is no parent block called '${name}'.`);
}

/** `super` in a block. */
export function superBlock(name: string, context: RenderContext, current: BlockBody): Value {
  const bodies = context.blocks.get(name) ?? [];
  const at = bodies.indexOf(current);
  return blockAt(name, context, bodies, at < 0 ? bodies.length : at + 1);
}

/** `self`: the template's blocks by name. */
export class TemplateReference extends PyObject {
  override readonly typeName = "TemplateReference";
  constructor(private readonly context: RenderContext) {
    super();
  }
  override repr(): string {
    return `<TemplateReference ${this.context.name === undefined ? "None" : `'${this.context.name}'`}>`;
  }
  override getitem(key: Value): Value | undefined {
    const bodies = typeof key === "string" ? this.context.blocks.get(key) : undefined;
    return bodies === undefined ? undefined : new BlockReference(String(key), this.context, bodies, 0);
  }
}
