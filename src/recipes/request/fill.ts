/** Puts the values of parameters into the request of a step. Pure. */
import { isRecord } from "../../base/json/members.ts";
import type { Value, Values } from "./parameters.ts";

/** A dot stands in members of the entry that a call goes through: `each.device`. */
const place = /\{\{\s*([A-Za-z_]\w*(?:\.\w+)?)\s*\}\}/g;
const whole = /^\s*\{\{\s*([A-Za-z_]\w*(?:\.\w+)?)\s*\}\}\s*$/;
/** In a selector, other characters could select other devices. */
const plainWord = /^[\w.:-]+$/;
/** Texts of template engines, which have their own braces and get the parameters as variables. */
const templates = new Set(["template", "templates"]);
const inTemplates = new Set(["rendering", "parsing", "parse"]);

export interface Placed {
  /** `config.0` */
  readonly path: string;
  readonly name: string;
  /** It is a part of the text, not all of it. */
  readonly isPart: boolean;
}

/** The places that stand for parameters. */
export function placesOf(request: Readonly<Record<string, unknown>>): Placed[] {
  const found: Placed[] = [];
  map(request, "", (text, path) => {
    const isPart = !whole.test(text);
    for (const [, name = ""] of text.matchAll(place)) found.push({ path, name, isPart });
    return text;
  });
  return found;
}

/**
 * A text that is nothing but a place becomes the value with its type; a parameter without a value leaves its member away.
 * @returns the request, or the first place that a value does not fit
 */
export function filled(
  request: Readonly<Record<string, unknown>>,
  values: Values,
): { readonly request: Record<string, unknown> } | { readonly path: string; readonly message: string } {
  let fault: { path: string; message: string } | undefined;
  const result = map(request, "", (text, path) => {
    const [, only] = whole.exec(text) ?? [];
    const isSelector = path === "select" || path.endsWith(".select");
    const found = (name: string): Value | undefined => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (isSelector && value !== undefined && !plainWord.test(String(value)))
        fault ??= {
          path,
          message: `{{ ${name} }} must be letters, digits, \`.\`, \`_\`, \`:\` and \`-\` in a selector`,
        };
      return value;
    };
    if (only !== undefined) return found(only);
    return text.replace(place, (_, name: string) => {
      const value = found(name);
      const said = Array.isArray(value) ? value.join(",") : String(value ?? "");
      if (/[\r\n]/.test(said))
        fault ??= { path, message: `{{ ${name} }} has several lines, and is only a part of a line` };
      return said;
    });
  });
  return fault ?? { request: isRecord(result) ? result : {} };
}

function map(value: unknown, path: string, change: (text: string, path: string) => unknown): unknown {
  if (typeof value === "string") return change(value, path);
  if (Array.isArray(value))
    return value.flatMap((entry, at) => {
      const made = map(entry, path === "" ? String(at) : `${path}.${at}`, change);
      // A list in a list of lines: its entries are lines.
      if (typeof entry === "string" && Array.isArray(made)) return made;
      return made === undefined ? [] : [made];
    });
  if (!isRecord(value)) return value;
  // The request of a step that renders is itself one.
  const isUse = path === "" || inTemplates.has(path.split(".").at(-1) ?? "");
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (isUse && templates.has(name)) return [[name, member]];
      const made = map(member, path === "" ? name : `${path}.${name}`, change);
      return made === undefined ? [] : [[name, made]];
    }),
  );
}
