/** Global functions: range, dict, namespace, cycler, joiner, lipsum. */

import {
  buildDict,
  type Callable,
  formatMoment,
  isText,
  localMoment,
  Markup,
  needInt,
  overflowError,
  PyDateTime,
  PyError,
  PyFunction,
  PyObject,
  PyRange,
  PyTuple,
  signature,
  textOf,
  titleCase,
  truth,
  typeError,
  typeName,
  type Value,
  valueError,
} from "../../python/index.ts";
import { Namespace } from "./namespace.ts";

/** A function that Python shows as a class. */
class ClassFunction extends PyFunction {
  constructor(
    private readonly displayName: string,
    body: Callable,
  ) {
    super(displayName, body, "type");
  }
  override repr(): string {
    return `<class '${this.displayName}'>`;
  }
}

function position(value: Value): number {
  const index = needInt(value, 0);
  if (!Number.isSafeInteger(index)) throw overflowError("Python int too large to convert to C ssize_t");
  return index;
}

const bindRange = signature("range", ["start", "stop?", "step?"], false);

function range(args: readonly Value[], kwargs: Parameters<Callable>[1]): Value {
  const [first = null, stop, step = 1] = bindRange(args, kwargs);
  return stop === undefined
    ? new PyRange(0, position(first), 1)
    : new PyRange(position(first), position(stop), position(step));
}

class Cycler extends PyObject {
  override readonly typeName = "Cycler";
  private at = 0;
  constructor(private readonly items: readonly Value[]) {
    super();
    if (items.length === 0) throw new PyError("RuntimeError", "at least one item has to be provided");
  }
  private current(): Value {
    return this.items[this.at] ?? null;
  }
  private next(): Value {
    const item = this.current();
    this.at = (this.at + 1) % this.items.length;
    return item;
  }
  private reset(): Value {
    this.at = 0;
    return null;
  }
  override getattr(name: string): Value | undefined {
    if (name === "current") return this.current();
    if (name === "next") return new PyFunction("next", () => this.next());
    if (name === "reset") return new PyFunction("reset", () => this.reset());
    if (name === "items") return new PyTuple(this.items);
    return name === "pos" ? this.at : undefined;
  }
}

const bindJoiner = signature("joiner", ["sep?"]);

class Joiner extends PyObject {
  override readonly typeName = "Joiner";
  private used = false;
  constructor(private readonly separator: Value) {
    super();
  }
  override call(): Value {
    if (this.used) return this.separator;
    this.used = true;
    return "";
  }
  override getattr(name: string): Value | undefined {
    if (name === "sep") return this.separator;
    return name === "used" ? this.used : undefined;
  }
}

const cycler: Callable = (args, kwargs) => {
  if (kwargs !== undefined && kwargs.size > 0) throw typeError("cycler() takes no keyword arguments");
  return new Cycler(args);
};
const joiner: Callable = (args, kwargs) => new Joiner(bindJoiner(args, kwargs)[0] ?? ", ");
const namespace: Callable = (args, kwargs, meter) => new Namespace(buildDict(args, kwargs, meter));

const WORDS =
  "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua enim minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat duis aute irure in reprehenderit voluptate velit esse cillum fugiat nulla pariatur excepteur sint occaecat cupidatat non proident sunt culpa qui officia deserunt mollit anim id est laborum".split(
    " ",
  );

const bindLipsum = signature("generate_lorem_ipsum", ["n?", "html?", "min?", "max?"]);

function below(end: number): number {
  return Math.floor(Math.random() * end);
}

function paragraph(count: number): string {
  const sentences: string[] = [];
  for (let remaining = count; remaining > 0; ) {
    const size = Math.min(remaining, 8 + below(10));
    const words = Array.from({ length: size }, () => WORDS[below(WORDS.length)] ?? "lorem");
    const comma = 3 + below(5);
    const text = words.map((word, i) => (i === comma && i < size - 1 ? `${word},` : word)).join(" ");
    sentences.push(`${titleCase(text.slice(0, 1))}${text.slice(1)}.`);
    remaining -= size;
  }
  return sentences.join(" ");
}

/** `lipsum()`: random paragraphs of filler text. */
const lipsum: Callable = (args, kwargs, meter) => {
  const [n, html = true, min, max] = bindLipsum(args, kwargs);
  const count = Math.max(0, needInt(n, 5));
  const least = needInt(min, 20);
  const upper = needInt(max, 100);
  if (least < 0 || upper <= least) throw valueError("empty range for the number of words");
  meter.items(count * upper);
  const paragraphs = Array.from({ length: count }, () => paragraph(least + below(upper - least)));
  if (!truth(html)) return paragraphs.join("\n\n");
  return new Markup(paragraphs.map((text) => `<p>${text}</p>`).join("\n"));
};

/** Shared by all templates: immutable. */
export const globals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["range", new ClassFunction("range", range)],
  ["dict", new ClassFunction("dict", buildDict)],
  ["namespace", new ClassFunction("jinja2.utils.Namespace", namespace)],
  ["cycler", new ClassFunction("jinja2.utils.Cycler", cycler)],
  ["joiner", new ClassFunction("jinja2.utils.Joiner", joiner)],
  ["lipsum", new PyFunction("generate_lorem_ipsum", lipsum)],
]);

const bindNow = signature("now", ["utc?", "fmt?"]);

/** Ansible's function for the current time: `now()`, `now(utc=True, fmt='%Y-%m-%d')`. */
const now: Callable = (args, kwargs) => {
  const [utc = false, format = null] = bindNow(args, kwargs);
  const date = new Date();
  const moment = truth(utc) ? { ms: date.getTime(), micro: 0 } : localMoment(date);
  if (format === null || format === "") return new PyDateTime(moment);
  if (!isText(format)) throw typeError(`strftime() argument 1 must be str, not ${typeName(format)}`);
  return formatMoment(textOf(format), moment);
};

/** With the functions that Ansible adds. */
export const ansibleGlobals: ReadonlyMap<string, Value> = new Map([
  ...globals,
  ["now", new PyFunction("now", now)],
]);
