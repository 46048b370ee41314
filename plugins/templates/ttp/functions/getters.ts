/** Getters: template variables whose values come from the input or the clock. */

import {
  compilePython,
  formatMoment,
  localMoment,
  stripChars,
  toInt,
  type Value,
} from "../../python/index.ts";

export interface GetterInput {
  readonly text: string;
  readonly name: string;
  readonly now: () => Date;
  readonly warn: (message: string) => void;
}

/** `null`: not found; the variable stays unset. */
export type Getter = (input: GetterInput) => Value;

/** Prompt patterns, the most specific first. */
const PROMPTS = [
  "\\n\\S{1,2}:(\\S+?)[>#].*(?=\\n)",
  "\\n\\S+:(\\S+)#.*(?=\\n)",
  "\\n(\\S+)#.*(?=\\n)",
  "\\n\\S*@(\\S+)>.*(?=\\n)",
  "\\n<(\\S+)>.*(?=\\n)",
  "\\n(\\S+)>.*(?=\\n)",
  "\\n(\\S+ \\(\\S+\\)) #.*(?=\\n)",
].map((pattern) => compilePython(pattern));
/** Byte order marks, including wrongly decoded ones. */
const MARKS = ["ï»¿", "þÿ", "ÿþ", "\ufeff"];

export const findHostname: Getter = ({ text, name, warn }) => {
  for (const pattern of PROMPTS) {
    const found = pattern.search(text)?.group(1);
    if (typeof found === "string")
      return MARKS.reduce((name, mark) => stripChars(name, mark, true, false), found);
  }
  warn(`gethostname: no host name found in ${name}`);
  return null;
};

const formatted =
  (format: string): Getter =>
  ({ now }) =>
    formatMoment(format, localMoment(now()));

export const getters: ReadonlyMap<string, Getter> = new Map<string, Getter>([
  ["gethostname", findHostname],
  ["getfilename", ({ name }) => name],
  ["get_time", formatted("%H:%M:%S")],
  ["get_date", formatted("%Y-%m-%d")],
  ["get_timestamp", formatted("%Y-%m-%d %H:%M:%S")],
  ["get_timestamp_ms", ({ now }) => formatMoment("%Y-%m-%d %H:%M:%S.%f", localMoment(now())).slice(0, -3)],
  ["get_timestamp_iso", ({ now }) => `${now().toISOString().slice(0, -1)}000+00:00`],
  ["get_time_ns", ({ now }) => toInt(BigInt(now().getTime()) * 1_000_000n)],
]);
