/** Values out of elements: texts and numbers, with the difference between what is empty and what is not there. */
import type { XmlElement } from "patchbay/plugin";
import { macAddress } from "./addresses.ts";
import { decimal, integer } from "./numbers.ts";
import { slot } from "./records.ts";

/** The trimmed text at the first of the paths that is there; undefined where none is. */
export function textAt(element: XmlElement, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const found = element.find(path);
    if (found !== undefined) return found.textOf();
  }
  return undefined;
}

export function integerAt<Otherwise>(
  element: XmlElement,
  path: string,
  otherwise: Otherwise,
): number | Otherwise {
  return integer(textAt(element, path), otherwise);
}

export function decimalAt<Otherwise>(
  element: XmlElement,
  path: string,
  otherwise: Otherwise,
): number | Otherwise {
  return decimal(textAt(element, path), otherwise);
}

/** Whether it is there, with or without a text. */
export function has(element: XmlElement, path: string): boolean {
  return element.find(path) !== undefined;
}

/** A list for each key, in the order of the text. */
export function grouped<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value[]> {
  const groups: Record<string, Value[]> = {};
  for (const [key, value] of entries) slot(groups, key, () => []).push(value);
  return groups;
}

/** A MAC address in NAPALM's form; what is none stays as the device wrote it. */
export function macOr(text: string, otherwise = text): string {
  return macAddress(text) ?? otherwise;
}
