/** Writes values as YAML that each tool reads back with the same types and order. */
import { Pair, Scalar, type ScalarTag, stringify, YAMLMap, YAMLSeq } from "yaml";
import { ExactNumber, orderedEntries } from "../json/exact-json.ts";
import { kindOfScalar, yamlDialects } from "./yaml-dialects.ts";

/** A number as it is written. */
class WrittenNumber {
  constructor(readonly text: string) {}
}

const numberTag: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => value instanceof WrittenNumber,
  resolve: (text) => new WrittenNumber(text),
  stringify: ({ value }) => (value instanceof WrittenNumber ? value.text : String(value)),
};

/** Characters that Python's readers refuse, or take for line breaks, unless they are escaped. */
const unprintable = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

export function yamlOf(value: unknown): string {
  const text = stringify(nodeOf(value), {
    version: "1.1",
    lineWidth: 0,
    aliasDuplicateObjects: false,
    // The tag of merge keys would write the text `<<` without quotes.
    customTags: (tags) => [
      numberTag,
      ...tags.filter((tag) => typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:merge"),
    ],
  });
  return text.replace(unprintable, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function nodeOf(value: unknown): unknown {
  if (typeof value === "string") return textNode(value);
  if (typeof value === "number") return new Scalar(new WrittenNumber(numberText(JSON.stringify(value))));
  if (value instanceof ExactNumber) return new Scalar(new WrittenNumber(numberText(value.text)));
  if (typeof value !== "object" || value === null) return new Scalar(value);
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items = value.map(nodeOf);
    return list;
  }
  const map = new YAMLMap();
  map.items = orderedEntries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => new Pair(textNode(name), nodeOf(member)));
  return map;
}

/** Quoted if any reader would take it for something other than text. */
function textNode(text: string): Scalar<string> {
  const node = new Scalar(text);
  const isOther = yamlDialects.some((dialect) => kindOfScalar(text, dialect) !== "text");
  // Python's readers refuse a tab at the start of a block.
  if (isOther || text.search(unprintable) >= 0 || (/^\s/.test(text) && text.includes("\n")))
    node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

/** PyYAML takes a number for a float only if it has a dot, and a sign in its exponent. */
function numberText(json: string): string {
  const [, whole = "", fraction, sign = "", exponent] =
    /^(-?\d+)(?:\.(\d+))?(?:[eE]([-+]?)(\d+))?$/.exec(json) ?? [];
  if (fraction === undefined && exponent === undefined) return json;
  return `${whole}.${fraction ?? "0"}${exponent === undefined ? "" : `e${sign || "+"}${exponent}`}`;
}
