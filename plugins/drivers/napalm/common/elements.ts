/** Reads texts and numbers from XML elements; distinguishes empty elements from missing ones. */
import type { XmlElement } from "patchbay/plugin";
import { macAddress } from "./addresses.ts";
import { decimal, integer } from "./numbers.ts";
import { slot } from "./records.ts";

/** The trimmed text at the first existing path; undefined if none exists. */
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

/** Whether the element exists, with or without text. */
export function has(element: XmlElement, path: string): boolean {
  return element.find(path) !== undefined;
}

/** Groups values by key, in document order. */
export function grouped<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value[]> {
  const groups: Record<string, Value[]> = {};
  for (const [key, value] of entries) slot(groups, key, () => []).push(value);
  return groups;
}

/** A MAC address in NAPALM's format; other text is unchanged. */
export function macOr(text: string, otherwise = text): string {
  return macAddress(text) ?? otherwise;
}
