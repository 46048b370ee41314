/** Reproduces how NAPALM's tables read Junos: pairs rows with names by position, and handles empty elements. */
import type { XmlElement } from "patchbay/plugin";

/** The text at the path; the element's name if it is empty. Undefined if it is missing. */
export function textOrName(element: XmlElement, path: string): string | undefined {
  const found = element.find(path);
  return found === undefined ? undefined : found.textOf() || found.name;
}

/**
 * Pairs rows with names: the names of all rows form one list in document order. If a row has two names or none, the
 * following rows get the name of another row, and the longer list is truncated.
 */
export function rowsByName(
  rows: readonly XmlElement[],
  names: readonly string[],
): readonly (readonly [string, XmlElement])[] {
  const texts = rows.flatMap((row) =>
    row.children.filter(({ name }) => names.includes(name)).map((child) => child.textOf()),
  );
  return rows.slice(0, texts.length).map((row, at) => [texts[at] ?? "", row] as const);
}
