/** The data of an answer as JSON text in pieces, created while sending, so that a long text is in memory only once. */
import { RawJson } from "../../base/json/json.ts";
import { jsonPieces, jsonTextPieces } from "../../base/json/json-pieces.ts";

export interface JsonData {
  /** Approximate memory usage, without short members. */
  readonly bytes: number;
  /** @param maxChars approximate number of characters per piece. */
  pieces(maxChars: number): Iterable<string>;
}

/** A text, which becomes a JSON string. */
export function textData(text: string): JsonData {
  return { bytes: bytesOf(text), pieces: (maxChars) => jsonTextPieces(text, maxChars) };
}

/** JSON text. */
export function rawData(json: string): JsonData {
  return { bytes: bytesOf(json), pieces: () => [json] };
}

/** An object whose large members are already JSON text. */
export function objectData(object: object): JsonData {
  const raw = Object.values(object).filter((member) => member instanceof RawJson);
  return {
    bytes: raw.reduce((sum, { text }) => sum + bytesOf(text), 0),
    pieces: (maxChars) => jsonPieces(object, maxChars),
  };
}

/** A single character beyond Latin-1 makes the runtime store two bytes per character. */
function bytesOf(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}
