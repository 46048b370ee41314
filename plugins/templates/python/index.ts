/** The door of the package: what others may import; YAML has a door of its own, `yaml.ts`. */

export {
  attempt,
  attributeError,
  blamed,
  indexError,
  overflowError,
  PyError,
  placed,
  typeError,
  undefinedError,
  valueError,
  zeroDivision,
} from "./errors.ts";
export { collapsed, covering, summarized } from "./ip/cover.ts";
export { makeAddress, makeAny, makeInterface, makeNetwork } from "./ip/make.ts";
export { first, hostMask, includes, last, type Network, netMask, size } from "./ip/network.ts";
export {
  addressText,
  parsePrefix,
  parseV4,
  parseV6,
  prefixOfMask,
  readAddress,
  readPrefix,
  reversePointer,
  type Version,
  WIDTH,
} from "./ip/numbers.ts";
export { IpAddress, IpInterface, IpNetwork, ipAttributeNames } from "./ip/objects.ts";
export { ipaddressRanges, isPrivate, netaddrRanges, within } from "./ip/ranges.ts";
export { fromPlain, toPlain, withTexts } from "./json/plain.ts";
export { loadJson, readJson, SharedKeys } from "./json/read.ts";
export { jsonIndent, jsonSeparators, writeJson } from "./json/write.ts";
export * from "./json.ts";
export { limitError } from "./limits.ts";
export { add, arithmetic, negate, positive, power, subtract } from "./numbers/arith.ts";
export { fixed, floatRepr, roundFloat } from "./numbers/floats.ts";
export { parseFloatText, parseInteger, toFloatValue, toInteger } from "./numbers/numbers.ts";
export { chance, randomRange, seeded } from "./numbers/random.ts";
export { keptPattern } from "./regex/kept.ts";
export type { PythonMatch } from "./regex/match.ts";
export type { Answer } from "./regex/matcher.ts";
export { ASCII, DOTALL, IGNORECASE, MULTILINE, UNICODE, VERBOSE } from "./regex/parse/ast.ts";
export { parseReplacement } from "./regex/parse/replacement.ts";
export { escapePython } from "./regex/pattern.ts";
export { knowPart } from "./regex/text-facts.ts";
export {
  capitalize,
  isBlank,
  isLower,
  isUpper,
  stripChars,
  stripStart,
  titleCase,
  words,
} from "./text/blanks.ts";
export { characterOf, isWide, textLength, textSlice } from "./text/codepoints.ts";
export { decode, encode } from "./text/encodings.ts";
export { unescapeLiteral } from "./text/escapes.ts";
export { formatValue } from "./text/formatspec.ts";
export { escapeHtml } from "./text/html.ts";
export { escapeValue, stripTags } from "./text/markup.ts";
export { percentFormat } from "./text/percent.ts";
export { prettyPrint } from "./text/pprint.ts";
export { isIdentifier } from "./text/predicates.ts";
export { asciiRepr, str, textRepr } from "./text/repr.ts";
export { center, joinText, needInt, needText, replaceText } from "./text/strings.ts";
export * from "./text.ts";
export { combined, PyClock, PyDate, PyDateTime, PyDelta } from "./time/datetime.ts";
export {
  checkedMoment,
  formatMoment,
  localMoment,
  type Moment,
  pad,
  parseMoment,
  type Zone,
} from "./time/moment.ts";
export { PyTime } from "./time/struct-time.ts";
export { type Bound, bound, methods, type Signature, signature } from "./values/args.ts";
export { type Choice, choices, extreme, roundTo, zipped } from "./values/builtins.ts";
export { callValue, isCallable } from "./values/call.ts";
export { compare, comparisons, contains, identical, sorted } from "./values/compare.ts";
export { deepCopy } from "./values/copy.ts";
export { PySet } from "./values/dict.ts";
export { buildDict, CountingDict, dictMethods, updateDict } from "./values/dicts.ts";
export { eq, same } from "./values/equal.ts";
export {
  asList,
  each,
  isIterable,
  itemsOf,
  iterate,
  lengthOf,
  listOf,
  notIterable,
  PyIterator,
  PyRange,
  PyView,
  unpack,
} from "./values/iterate.ts";
export { MissingKey } from "./values/key-error.ts";
export { attribute, attributeNames, callMethod, requireAttribute } from "./values/methods.ts";
export { common, unshared } from "./values/set-arithmetic.ts";
export { newSite, type Shape, type Site } from "./values/shape.ts";
export {
  getItem,
  indexOf,
  outside,
  PySlice,
  placeOf,
  setItem,
  sliceBounds,
  slicePlaces,
} from "./values/slice.ts";
export {
  type Callable,
  isInt,
  isText,
  type Kwargs,
  Markup,
  type Operator,
  PyFloat,
  PyFunction,
  PyObject,
  PyTuple,
  textOf,
  toInt,
  truth,
  typeName,
  Undefined,
  type UndefinedKind,
} from "./values/values.ts";
