/** Python's exception classes for macros: names, hierarchy, and instances. */

import {
  type Kwargs,
  type Meter,
  MissingKey,
  PatternError,
  PyError,
  PyObject,
  PyTuple,
  repr,
  str,
  type Value,
} from "../../python/index.ts";

/** Class -> direct subclasses. */
const BELOW: Readonly<Record<string, string>> = {
  BaseException: "Exception SystemExit KeyboardInterrupt",
  Exception:
    "ArithmeticError AssertionError AttributeError EOFError ImportError LookupError NameError OSError RuntimeError " +
    "StopIteration SyntaxError TypeError ValueError Warning error",
  ArithmeticError: "ZeroDivisionError OverflowError",
  ImportError: "ModuleNotFoundError",
  LookupError: "IndexError KeyError",
  NameError: "UnboundLocalError",
  OSError: "IOError FileNotFoundError",
  RuntimeError: "NotImplementedError RecursionError",
  ValueError: "UnicodeError AddressValueError NetmaskValueError JSONDecodeError",
  UnicodeError: "UnicodeDecodeError",
};
const BASES: ReadonlyMap<string, string> = new Map(
  Object.entries(BELOW).flatMap(([base, names]) => names.split(" ").map((name) => [name, base] as const)),
);
/** Names that are only available through their modules. */
const OF_MODULES = ["error", "JSONDecodeError", "AddressValueError", "NetmaskValueError"];

export const EXCEPTION_NAMES: readonly string[] = ["BaseException", ...BASES.keys()].filter(
  (name) => !OF_MODULES.includes(name),
);

export function isKindOf(name: string, base: string): boolean {
  if (base === "IOError") return isKindOf(name, "OSError");
  for (let at: string | undefined = name; at !== undefined; at = BASES.get(at)) if (at === base) return true;
  // An exception that is not in the table counts as a subclass of Exception.
  return !BASES.has(name) && (base === "Exception" || base === "BaseException");
}

export class ExceptionType extends PyObject {
  override readonly typeName = "type";
  constructor(readonly name: string) {
    super();
  }
  override repr(): string {
    return `<class '${this.name}'>`;
  }
  override equals(other: Value): boolean {
    return other instanceof ExceptionType && other.name === this.name;
  }
  override hash(): string {
    return `exception type ${this.name}`;
  }
  override getattr(name: string): Value | undefined {
    return name === "__name__" ? this.name : undefined;
  }
  override call(args: readonly Value[], _kwargs: Kwargs | undefined, _meter: Meter): Value {
    return new ExceptionValue(this.name, args);
  }
}

export class ExceptionValue extends PyObject {
  override readonly typeName: string;
  constructor(
    name: string,
    readonly args: readonly Value[],
    /** `str(e)`, if known. */
    private readonly displayText?: string,
  ) {
    super();
    this.typeName = name;
  }
  override str(meter: Meter): string {
    const [first] = this.args;
    if (this.displayText !== undefined) return this.displayText;
    if (first === undefined) return "";
    if (this.args.length > 1) return repr(new PyTuple(this.args), meter);
    return this.typeName === "KeyError" ? repr(first, meter) : str(first, meter);
  }
  override repr(meter: Meter): string {
    return `${this.typeName}(${this.args.map((arg) => repr(arg, meter)).join(", ")})`;
  }
  override getattr(name: string): Value | undefined {
    return name === "args" ? new PyTuple(this.args) : undefined;
  }
}

/** The error thrown by `raise value`. */
export function raised(value: Value, meter: Meter): PyError {
  const exception = value instanceof ExceptionType ? new ExceptionValue(value.name, []) : value;
  if (!(exception instanceof ExceptionValue))
    return new PyError("TypeError", "exceptions must derive from BaseException");
  return new RaisedError(exception, meter);
}

class RaisedError extends PyError {
  constructor(
    readonly value: ExceptionValue,
    meter: Meter,
  ) {
    super(value.typeName, value.str(meter));
  }
}

/** The exception for `except`; `undefined` if macros must not catch it, such as a limit. */
export function caught(error: unknown): ExceptionValue | undefined {
  const pattern = error instanceof Error && error.cause instanceof PatternError ? error.cause : error;
  if (pattern instanceof PatternError) return new ExceptionValue("error", [pattern.message]);
  if (!(error instanceof PyError) || error.kind !== "TemplateRuntime") return undefined;
  // Each function it passes through wraps it to add a position.
  const origin = error.cause ?? error;
  if (origin instanceof RaisedError) return origin.value;
  const { pythonType, pythonMessage } = error;
  const argument = origin instanceof MissingKey ? origin.key : pythonMessage;
  return new ExceptionValue(pythonType, pythonMessage === "" ? [] : [argument], pythonMessage);
}
