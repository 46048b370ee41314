/** The filters ipaddr, ipv4, ipv6 and ipwrap. */
import { typeError } from "../../python/errors.ts";
import { first, includes, last, size } from "../../python/ip/network.ts";
import { itemsOf, PyIterator } from "../../python/iterate.ts";
import { textRepr } from "../../python/repr.ts";
import {
  isInt,
  isText,
  PyTuple,
  textOf,
  truth,
  typeName,
  Undefined,
  type Value,
} from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { type Entry, filter } from "../filters/define.ts";
import { addressError, cidr, parseNetwork, show, type WrittenNetwork } from "./address.ts";
import { queries, shown } from "./queries.ts";

/** The network a value stands for; `undefined` where it stands for none. */
export function networkOf(value: Value, version?: 4 | 6): WrittenNetwork | undefined {
  if (isText(value)) return parseNetwork(textOf(value), version);
  return isInt(value) ? parseNetwork(value, version) : undefined;
}

/** @throws an error that names the value. */
export function needNetwork(value: Value | undefined): WrittenNetwork {
  if (value instanceof Undefined) return value.fail();
  const network = networkOf(value ?? null);
  if (network !== undefined) return network;
  const text = isText(value ?? null) ? textRepr(String(value)) : typeName(value ?? null);
  throw addressError(`${text} is not an IP address or network`);
}

function isList(value: Value): boolean {
  return Array.isArray(value) || value instanceof PyTuple || value instanceof PyIterator;
}

/** An index is an integer or its text. */
function indexOf(query: Value): number | undefined {
  if (typeof query === "number") return query;
  return isText(query) && /^-?\d{1,15}$/.test(textOf(query)) ? Number(textOf(query)) : undefined;
}

/** One answer for one value; `false` where the value is no address or has the other version. */
function ask(value: Value, query: Value, version: 4 | 6 | undefined): Value {
  if (value instanceof Undefined) return value.fail();
  if (typeof value === "boolean") return false;
  if (!isText(value) && !isInt(value))
    throw typeError(`an address is text, an integer or a list of them, not ${typeName(value)}`);
  const network = networkOf(value, version);
  const index = indexOf(query);
  const known = isText(query) ? queries.get(textOf(query)) : undefined;
  const outer = known === undefined && index === undefined ? networkOf(query) : undefined;
  if (known === undefined && index === undefined && outer === undefined) {
    const text = isText(query) ? textOf(query) : typeName(query);
    throw addressError(`unknown query '${text}'`);
  }
  if (network === undefined || (version !== undefined && network.version !== version)) return false;
  const given = isText(value) && /[.:]/.test(textOf(value)) ? textOf(value) : cidr(network);
  if (known !== undefined) return known(network, given);
  if (outer !== undefined) return includes(outer, network) ? given : null;
  return nth(network, index ?? 0);
}

/** The address at a position of its network, counted from the end when negative. */
function nth(network: WrittenNetwork, index: number): Value {
  if (size(network) === 1n) return shown(network);
  const from = index < 0 ? last(network) + 1n : first(network);
  const ip = from + BigInt(index);
  return ip < first(network) || ip > last(network) ? false : `${show(network, ip)}/${network.prefix}`;
}

function answer(value: Value, query: Value, version: 4 | 6 | undefined, context: FilterContext): Value {
  if (!isList(value)) return ask(value, query, version);
  const answers = itemsOf(value, context.meter).map((item) => {
    context.meter.step();
    return item === null ? false : answer(item, query, version, context);
  });
  return answers.filter(truth);
}

/** IPv6 addresses in brackets, everything that is no address as it is. */
function wrapped(value: Value): Value {
  if (value instanceof Undefined) return value.fail();
  const network = networkOf(value);
  return network === undefined ? value : ask(shown(network), "wrap", undefined);
}

export const addressFilters: readonly Entry[] = [
  filter("ipaddr", ["query?", "version?", "alias?"], (value, [query = "", version], context) =>
    answer(value, query, version === 4 || version === 6 ? version : undefined, context),
  ),
  filter("ipv4", ["query?"], (value, [query = ""], context) => answer(value, query, 4, context)),
  filter("ipv6", ["query?"], (value, [query = ""], context) => answer(value, query, 6, context)),
  filter("ipwrap", ["query?"], (value, _given, context) =>
    isList(value) ? itemsOf(value, context.meter).map(wrapped) : wrapped(value),
  ),
];
