/** `<extend>`: replaces the tag with the tags of another template. */
import { splitAt, TemplateError } from "../../python/index.ts";
import { ANONYMOUS, readTemplate } from "./document.ts";
import type { Element } from "./xml.ts";

export interface ExtendContext {
  /** Reads another template; `undefined`: not found. */
  read(path: string): string | undefined;
  /** Runs a macro on the text of a template; `undefined`: no such macro. */
  macro(name: string, text: string): string | undefined;
}

const MAX_EXTENDS = 100;

const GROUPS = ["g", "grp", "group"];
/** Filter attributes, and the tags that they select from by name. */
const FILTERS: readonly (readonly [attribute: string, tags: readonly string[]])[] = [
  ["inputs", ["i", "in", "input"]],
  ["vars", ["v", "vars", "variables"]],
  ["groups", GROUPS],
  ["lookups", ["lookup"]],
  ["outputs", ["o", "out", "output"]],
];

/** Modifies the tree. */
export function applyExtends(root: Element, context: ExtendContext): void {
  let count = 0;

  function visit(parent: Element, top: boolean): void {
    // As in TTP, the list changes during iteration, so the tag after a removed one is skipped.
    for (let i = 0; i < parent.children.length; i++) {
      const child = parent.children[i] as Element;
      if (child.tag === "extend") {
        if (++count > MAX_EXTENDS)
          throw new TemplateError("TemplateLimit", `more than ${MAX_EXTENDS} templates extend each other`);
        extend(parent, child, i, top);
      } else if (child.tag === "group") visit(child, false);
    }
  }

  function extend(parent: Element, tag: Element, at: number, top: boolean): void {
    const path = tag.attributes.get("template") ?? "";
    const found = context.read(path);
    if (found === undefined)
      throw new TemplateError("TemplateNotFound", `There is no template '${path}' to extend with.`, {
        template: path,
      });
    const text = context.macro(tag.attributes.get("macro") ?? "", found) ?? found;
    const other = readTemplate(text, path);
    const [only] = other.children;
    if (other.children.length === 1 && only?.attributes.get("name") === ANONYMOUS) {
      parent.textMarks.push(...only.textMarks.map((mark) => ({ ...mark, at: mark.at + parent.text.length })));
      parent.text += only.text;
      parent.children.splice(at, 1);
    } else if (top && other.attributes.has("name")) parent.children.splice(at, 1, other);
    else {
      const holder: Element = { ...other, children: filtered(other, tag, top) };
      visit(holder, false);
      parent.children.splice(at, 1, ...holder.children);
    }
  }
  visit(root, true);
}

function names(tag: Element, attribute: string): string[] {
  return splitAt(tag.attributes.get(attribute) ?? "", ",").filter((name) => name !== "");
}

/** Inside a group, only groups and nested extends are used. */
function filtered(template: Element, tag: Element, top: boolean): Element[] {
  if (top && tag.attributes.size === 1) return [...template.children];
  let index = 0;
  return template.children.filter((child) => {
    const isGroup = GROUPS.includes(child.tag);
    const filter = FILTERS.find(([, tags]) => tags.includes(child.tag));
    if (!top && !isGroup) return child.tag === "extend";
    const filterNames = filter === undefined ? [] : names(tag, filter[0]);
    if (filterNames.length === 0) return true;
    const name = child.attributes.get("name");
    const byIndex = isGroup && filterNames.includes(String(index));
    if (isGroup) index++;
    return byIndex || (name !== undefined && filterNames.includes(name));
  });
}
