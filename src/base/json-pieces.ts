/** Writes JSON with texts in it that are JSON already, whole or in pieces. */
import { RawJson } from "./json.ts";

/** `JSON.stringify` of an object some of whose members are JSON text already. */
export function jsonWithRaw(object: object): string {
  let text = "";
  for (const piece of jsonPieces(object, Number.POSITIVE_INFINITY)) text += piece;
  return text;
}

/**
 * The same in pieces: a text longer than `most` is given part by part and never copied into a longer one. Members in a
 * row that are no JSON text yet become it together: of the 25 of a job, one by one took a third of the time of a list.
 */
export function* jsonPieces(object: object, most: number): Generator<string> {
  let piece = "{";
  let comma = "";
  let plain: Record<string, unknown> = {};
  const plainText = () => {
    const text = JSON.stringify(plain).slice(1, -1);
    plain = {};
    const joined = text === "" ? "" : comma + text;
    if (text !== "") comma = ",";
    return joined;
  };
  for (const [key, value] of Object.entries(object)) {
    // No member can have the name `__proto__` by assignment.
    if (!(value instanceof RawJson) && key !== "__proto__") {
      plain[key] = value;
      continue;
    }
    const text: string | undefined = value instanceof RawJson ? value.text : JSON.stringify(value);
    if (text === undefined) continue;
    piece += plainText();
    piece += `${comma}${JSON.stringify(key)}:`;
    comma = ",";
    if (text.length <= most) piece += text;
    else {
      yield piece;
      yield* parts(text, most);
      piece = "";
    }
  }
  const last = plainText();
  if (last.length <= most) yield `${piece}${last}}`;
  else {
    yield piece;
    yield* parts(last, most);
    yield "}";
  }
}

/** `JSON.stringify` of a text in pieces: what is escaped is never there as a whole. */
export function* jsonTextPieces(text: string, most: number): Generator<string> {
  yield '"';
  for (const part of parts(text, most)) yield JSON.stringify(part).slice(1, -1);
  yield '"';
}

function* parts(text: string, most: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = cutPoint(text, at + most);
    yield text.slice(at, end);
    at = end;
  }
}

/** Where to cut a text at about `end`: halves of a pair stay together, since each alone would be written as U+FFFD. */
export function cutPoint(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const [last, next] = [text.charCodeAt(end - 1), text.charCodeAt(end)];
  const torn = last >= 0xd800 && last <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
  return torn ? end + 1 : end;
}
