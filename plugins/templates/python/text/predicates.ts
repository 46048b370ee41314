/** Methods of str that test all characters, such as `isdigit`. */
import { methods } from "../values/args.ts";
import { isBlank, isLower, isTitle, isUpper } from "./blanks.ts";

/** Superscripts, subscripts and circled digits: digits that are not decimals. */
const DIGIT =
  "\\p{Nd}\\xb2\\xb3\\xb9\\u1369-\\u1371\\u19da\\u2070\\u2074-\\u2079\\u2080-\\u2089\\u2460-\\u2468\\u2474-\\u247c\\u2488-\\u2490\\u24ea\\u24f5-\\u24fd\\u24ff\\u2776-\\u277e\\u2780-\\u2788\\u278a-\\u2792";
/** Letters that are numerals in Chinese and Japanese. */
const NUMERALS = "〇零一二三四五六七八九十百千万億兆两兩壹贰叁肆伍陆柒捌玖拾佰仟萬";

const ALPHA = /^\p{L}+$/u;
const ALNUM = /^[\p{L}\p{N}]+$/u;
const DECIMAL = /^\p{Nd}+$/u;
const DIGITS = new RegExp(`^[${DIGIT}]+$`, "u");
const NUMERIC = new RegExp(`^[\\p{N}${NUMERALS}]+$`, "u");
const IDENTIFIER = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;
const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/u;
const NOT_ASCII = /[^\0-\x7f]/;

export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

export function isDigits(text: string): boolean {
  return DIGITS.test(text);
}

export const predicateMethods = methods<string>({
  "isalpha()": (text) => ALPHA.test(text),
  "isalnum()": (text) => ALNUM.test(text),
  "isdecimal()": (text) => DECIMAL.test(text),
  "isdigit()": isDigits,
  "isnumeric()": (text) => NUMERIC.test(text),
  "isidentifier()": isIdentifier,
  "isspace()": (text) => text !== "" && Array.from(text).every(isBlank),
  "isascii()": (text) => !NOT_ASCII.test(text),
  "isprintable()": (text) => !UNPRINTABLE.test(text),
  "isupper()": isUpper,
  "islower()": isLower,
  "istitle()": isTitle,
});
