/** Tests for URLs and paths that look at the text only: uri, url, urn, abs. */
import { signature } from "../../python/args.ts";
import { itemsOf } from "../../python/iterate.ts";
import { isText, textOf, Undefined, type Value } from "../../python/values.ts";
import type { Test } from "../filter.ts";
import { urlParts } from "./paths.ts";

const bindSchemes = signature("test", ["schemes?"]);
const noArguments = signature("test", []);

interface Address {
  readonly scheme: Value;
  readonly host: Value;
}

function addressOf(value: Value): Address | undefined {
  if (value instanceof Undefined) return value.fail();
  if (!isText(value)) return undefined;
  const parts = urlParts(textOf(value));
  return { scheme: parts.get("scheme") ?? "", host: parts.get("netloc") ?? "" };
}

/** @param holds what an address has to have besides one of the schemes that are asked for */
function addressTest(holds: (address: Address) => boolean): Test {
  return (value, args, kwargs, { meter }) => {
    const [schemes = null] = bindSchemes(args, kwargs);
    const address = addressOf(value);
    if (address === undefined || !holds(address)) return false;
    const wanted = schemes === null ? [] : itemsOf(schemes, meter);
    return wanted.length === 0 || wanted.includes(address.scheme);
  };
}

const isAbsolute: Test = (value, args, kwargs) => {
  noArguments(args, kwargs);
  if (value instanceof Undefined) return value.fail();
  return isText(value) && textOf(value).startsWith("/");
};

export const pathTests: readonly (readonly [string, Test])[] = [
  ["uri", addressTest(() => true)],
  ["url", addressTest(({ scheme, host }) => host !== "" || scheme === "file")],
  [
    "urn",
    (value, args, kwargs) => {
      noArguments(args, kwargs);
      return addressOf(value)?.scheme === "urn";
    },
  ],
  ["abs", isAbsolute],
  ["is_abs", isAbsolute],
];
