/** Typed access to values in the replies of the XML agent, by path. */
import type { XmlElement } from "patchbay/plugin";
import { addressOrText, macAddress } from "../../../common/addresses.ts";
import { decimal, integer } from "../../../common/numbers.ts";

/** 0 if missing. */
export function integerAt(element: XmlElement, path: string): number {
  return integer(element.textOf(path), 0);
}

/** 0 if missing. */
export function decimalAt(element: XmlElement, path: string): number {
  return decimal(element.textOf(path), 0);
}

export function isTrue(element: XmlElement, path: string): boolean {
  return element.textOf(path) === "true";
}

/** The normalized address, of whichever family is present. */
export function addressAt(element: XmlElement, path: string): string {
  return addressOrText(element.textOf(`${path}/IPV4Address`) || element.textOf(`${path}/IPV6Address`));
}

/** A normalized MAC address; other text is unchanged. */
export function normalMac(text: string): string {
  return macAddress(text) ?? text;
}

/** The text of the first descendant with this name. */
export function anywhere(element: XmlElement, name: string): string {
  return element.descendants(name)[0]?.textOf() ?? "";
}
