/** The filters ipaddr, ipv4, ipv6 and ipwrap. */
import {
  isInt,
  isText,
  itemsOf,
  PyIterator,
  PyTuple,
  textOf,
  textRepr,
  truth,
  typeError,
  typeName,
  Undefined,
  type Value,
  type Version,
} from "../../python/index.ts";
import { define, type FilterEntries, filterError } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";
import { type Address, parseNetwork } from "./address.ts";
import { displayText, queries } from "./queries.ts";

/** The network that a value denotes; `undefined` if it denotes none. */
export function networkOf(value: Value, version?: Version): Address | undefined {
  if (isText(value)) return parseNetwork(textOf(value), version);
  return isInt(value) ? parseNetwork(value, version) : undefined;
}

/** The same, but an undefined value raises an error. */
export function anyNetwork(value: Value): Address | undefined {
  return value instanceof Undefined ? value.fail() : networkOf(value);
}

/** @throws an error that names the value. */
export function needNetwork(value: Value): Address {
  const network = anyNetwork(value);
  if (network !== undefined) return network;
  const shownValue = isText(value) ? textRepr(textOf(value)) : typeName(value);
  throw filterError(`${shownValue} is not an IP address or network`);
}

function isList(value: Value): boolean {
  return Array.isArray(value) || value instanceof PyTuple || value instanceof PyIterator;
}

/** The number 0 is no address, as it is false; the text "0" is one. */
const isZero = (value: Value): boolean => value === 0 || value === 0n;

/** An index is an integer or its text. */
function indexOf(query: Value): number | undefined {
  if (typeof query === "number") return query;
  return isText(query) && /^-?\d{1,15}$/.test(textOf(query)) ? Number(textOf(query)) : undefined;
}

/** The result for one value; `false` if it is not an address or has the wrong version. */
function ask(value: Value, query: Value, version: Version | undefined): Value {
  if (value instanceof Undefined) return value.fail();
  if (typeof value === "boolean" || isZero(value)) return false;
  if (!isText(value) && !isInt(value))
    throw typeError(`an address is text, an integer or a list of them, not ${typeName(value)}`);
  const network = networkOf(value, version);
  const index = indexOf(query);
  const namedQuery = isText(query) ? queries.get(textOf(query)) : undefined;
  const outer = namedQuery === undefined && index === undefined ? networkOf(query) : undefined;
  if (namedQuery === undefined && index === undefined && outer === undefined)
    throw filterError(`unknown query '${isText(query) ? textOf(query) : typeName(query)}'`);
  if (network === undefined || (version !== undefined && network.version !== version)) return false;
  const original = isText(value) && /[.:]/.test(textOf(value)) ? textOf(value) : network.cidr();
  if (namedQuery !== undefined) return namedQuery(network, original);
  if (outer !== undefined) return outer.includes(network) ? original : null;
  return nth(network, index ?? 0);
}

/** The nth address of the network; a negative index counts from the end. */
function nth(network: Address, index: number): Value {
  if (network.size === 1n) return displayText(network);
  const ip = (index < 0 ? network.last + 1n : network.first) + BigInt(index);
  return ip < network.first || ip > network.last ? false : network.cidr(ip);
}

function answer(value: Value, query: Value, version: Version | undefined, context: FilterContext): Value {
  if (!isList(value)) return ask(value, query, version);
  const answers = eachOf(value, context, (item) => {
    const canBe = item instanceof Undefined || isText(item) || isInt(item) || isList(item);
    return canBe && answer(item, query, version, context);
  });
  return answers.filter(truth);
}

/** The answers for the items of a list, which may be nested. */
function eachOf(list: Value, { meter }: FilterContext, answerOf: (item: Value) => Value): Value[] {
  meter.enter();
  const answers = itemsOf(list, meter).map((item) => {
    meter.step();
    return answerOf(item);
  });
  meter.leave();
  return answers;
}

/** Puts IPv6 addresses in brackets; anything else is unchanged. In a list, IPv4 text stays as given. */
function wrapped(value: Value, context: FilterContext, isListed = false): Value {
  if (isList(value)) return eachOf(value, context, (item) => wrapped(item, context, true));
  const network = anyNetwork(value);
  if (network === undefined || isZero(value)) return value;
  return ask(isListed ? value : displayText(network), "wrap", undefined);
}

export const addressFilters: FilterEntries = [
  define(
    "ipaddr",
    "any",
    "query = '', version = none, alias = none",
    (value, query, version, _alias, context) =>
      answer(value, query, version === 4 || version === 6 ? version : undefined, context),
  ),
  define("ipv4", "any", "query = ''", (value, query, context) => answer(value, query, 4, context)),
  define("ipv6", "any", "query = ''", (value, query, context) => answer(value, query, 6, context)),
  define("ipwrap", "any", "query = none", (value, _query, context) => wrapped(value, context)),
].flat();
