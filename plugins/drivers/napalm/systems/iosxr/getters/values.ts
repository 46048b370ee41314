/** Values in the answers of the XML agent: texts by path, of one type each. */
import type { XmlElement } from "patchbay/plugin";
import { addressOrText, macAddress } from "../../../common/addresses.ts";
import { decimal, integer } from "../../../common/numbers.ts";

/** 0 where there is none. */
export function integerAt(element: XmlElement, path: string): number {
  return integer(element.textOf(path), 0);
}

/** 0 where there is none. */
export function decimalAt(element: XmlElement, path: string): number {
  return decimal(element.textOf(path), 0);
}

export function isTrue(element: XmlElement, path: string): boolean {
  return element.textOf(path) === "true";
}

/** The address of whichever family there is, in one form. */
export function addressAt(element: XmlElement, path: string): string {
  return addressOrText(element.textOf(`${path}/IPV4Address`) || element.textOf(`${path}/IPV6Address`));
}

/** A MAC address in one form; what is none stays as it is. */
export function normalMac(text: string): string {
  return macAddress(text) ?? text;
}

/** The text of the first element of that name, wherever it stands. */
export function anywhere(element: XmlElement, name: string): string {
  return element.descendants(name)[0]?.textOf() ?? "";
}
