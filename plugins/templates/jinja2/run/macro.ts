/** Macros and callers as values. */

import {
  type Kwargs,
  Markup,
  type Meter,
  PyDict,
  PyObject,
  PyTuple,
  typeError,
  type Value,
} from "../../python/index.ts";

export interface MacroShape {
  /** Undefined for the body of a call block. */
  readonly name: string | undefined;
  readonly parameters: readonly string[];
  readonly takesKwargs: boolean;
  readonly takesVarargs: boolean;
  readonly takesCaller: boolean;
}

export interface MacroArguments {
  /** One per parameter; undefined if not passed. */
  readonly values: readonly (Value | undefined)[];
  readonly caller: Value | undefined;
  readonly kwargs: PyDict | undefined;
  readonly varargs: PyTuple | undefined;
}

export class Macro extends PyObject {
  override get typeName(): string {
    return "Macro";
  }
  constructor(
    private readonly shape: MacroShape,
    private readonly body: (macroArgs: MacroArguments) => string,
    /** Whether autoescaping was on at the definition. */
    private readonly autoescape: boolean,
    private readonly meter: Meter,
  ) {
    super();
  }

  invoke(args: readonly Value[], kwargs: Kwargs | undefined, autoescape: boolean): Value {
    this.meter.step();
    this.meter.enter();
    const text = this.body(bindArguments(this.shape, args, kwargs));
    this.meter.leave();
    return autoescape ? new Markup(text) : text;
  }

  override call(args: readonly Value[], kwargs: Kwargs | undefined): Value {
    return this.invoke(args, kwargs, this.autoescape);
  }
  override repr(): string {
    return `<Macro ${this.shape.name === undefined ? "anonymous" : `'${this.shape.name}'`}>`;
  }
  override getattr(name: string): Value | undefined {
    const { parameters, takesKwargs, takesVarargs, takesCaller } = this.shape;
    const members = new Map<string, Value>([
      ["name", this.shape.name ?? null],
      ["arguments", new PyTuple(parameters.slice())],
      ["catch_kwargs", takesKwargs],
      ["catch_varargs", takesVarargs],
      ["caller", takesCaller],
    ]);
    return members.get(name);
  }
}

function bindArguments(
  shape: MacroShape,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
): MacroArguments {
  const { parameters } = shape;
  const quotedName = shape.name === undefined ? "None" : `'${shape.name}'`;
  const values: (Value | undefined)[] = args.slice(0, parameters.length);
  const rest = new Map(kwargs);
  let foundCaller = args.length >= parameters.length && parameters.includes("caller");
  for (const name of parameters.slice(values.length)) {
    values.push(rest.get(name));
    rest.delete(name);
    if (name === "caller") foundCaller = true;
  }
  let caller: Value | undefined;
  if (shape.takesCaller && !foundCaller) {
    caller = rest.get("caller");
    rest.delete("caller");
  }
  if (!shape.takesKwargs && rest.size > 0) {
    if (rest.has("caller")) {
      throw typeError(
        `macro ${quotedName} was invoked with two values for the special caller argument. This is most likely a bug.`,
      );
    }
    throw typeError(`macro ${quotedName} takes no keyword argument '${[...rest.keys()][0]}'`);
  }
  if (!shape.takesVarargs && args.length > parameters.length) {
    throw typeError(`macro ${quotedName} takes not more than ${parameters.length} argument(s)`);
  }
  return {
    values,
    caller,
    kwargs: shape.takesKwargs ? PyDict.from(rest) : undefined,
    varargs: shape.takesVarargs ? new PyTuple(args.slice(parameters.length)) : undefined,
  };
}
