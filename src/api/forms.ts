/** Forms of texts and numbers that several requests take, each with what it says of one that does not fit. */
import * as v from "valibot";

/** Of something that is stored under a name, for `v.regex`. */
export const nameForm = [
  /^[A-Za-z0-9][\w.-]{0,63}$/,
  "must be up to 64 letters, digits, `.`, `_` and `-`",
] as const;
/** For `v.regex`. */
export const oneLine = [/^[^\0-\x1f\x7f]*$/, "must not hold control characters"] as const;

/** One line that is not empty. */
export const plainText = (most: number) =>
  v.pipe(
    v.string("must be a string"),
    v.nonEmpty("must not be empty"),
    v.maxLength(most, `must have at most ${most} characters`),
    v.regex(...oneLine),
  );

/** Lines that somebody wrote for others to read. */
export const words = (most: number) =>
  v.pipe(
    v.string(),
    v.maxLength(most),
    v.regex(/^[^\0-\x08\x0b-\x1f\x7f]*$/, "must not hold control characters"),
  );

export const port = v.pipe(
  v.number("must be a number"),
  v.integer("must be a whole number"),
  v.minValue(1, "must be at least 1"),
  v.maxValue(65_535, "must be at most 65535"),
);
