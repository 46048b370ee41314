/** Undefined values: missing names, attributes and items, and their error messages. */

import { type Meter, repr, typeName, Undefined, type UndefinedKind, type Value } from "../../python/index.ts";
export function missingName(kind: UndefinedKind, name: string): Undefined {
  return new Undefined(kind, `'${name}' is undefined`, `{{ ${name} }}`, name);
}

/** Modules of Jinja2's own types, as its messages name them. */
const MODULES: Readonly<Record<string, string>> = {
  Markup: "markupsafe",
  TemplateModule: "jinja2.environment",
  BlockReference: "jinja2.runtime",
  TemplateReference: "jinja2.runtime",
  Macro: "jinja2.runtime",
  LoopContext: "jinja2.runtime",
  Namespace: "jinja2.utils",
  Cycler: "jinja2.utils",
  Joiner: "jinja2.utils",
};

function qualifiedType(value: Value): string {
  const name = typeName(value);
  return Object.hasOwn(MODULES, name) ? `${MODULES[name]}.${name}` : name;
}

/** A missing `value.key` or `value[key]`. */
export function missingMember(kind: UndefinedKind, value: Value, key: Value, meter: Meter): Undefined {
  const subject = value === null ? "None" : `${qualifiedType(value)} object`;
  if (typeof key === "string") {
    const debug = kind === "DebugUndefined" ? `{{ no such element: ${subject}['${key}'] }}` : "";
    return new Undefined(kind, `'${subject}' has no attribute '${key}'`, debug, key);
  }
  const keyText = repr(key, meter);
  return new Undefined(
    kind,
    `${subject} has no element ${keyText}`,
    `{{ no such element: ${subject}[${keyText}] }}`,
  );
}
