/** How NAPALM's tables read Junos: rows and their names side by side, and what an element without a text says. */
import type { XmlElement } from "patchbay/plugin";

/** The text there; of an element that has none its name. Undefined where there is none. */
export function told(element: XmlElement, path: string): string | undefined {
  const found = element.find(path);
  return found === undefined ? undefined : found.textOf() || found.name;
}

/**
 * Rows with their names: the names of all rows stand in one list, in the order of the document.
 * Where a row has two or none, those behind it have the name of another row, and the longer list is cut off.
 */
export function rowsByName(
  rows: readonly XmlElement[],
  names: readonly string[],
): readonly (readonly [string, XmlElement])[] {
  const all = rows.flatMap((row) =>
    row.children.filter(({ name }) => names.includes(name)).map((child) => child.textOf()),
  );
  return rows.slice(0, all.length).map((row, at) => [all[at] ?? "", row] as const);
}
