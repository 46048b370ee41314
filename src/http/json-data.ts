/** The data of an answer as JSON text in pieces: made when they are sent, so that a long one is in memory only once. */
import { RawJson } from "../base/json.ts";
import { jsonPieces, jsonTextPieces } from "../base/json-pieces.ts";

export interface JsonData {
  /** What it is made of takes so many in memory, short members left out. */
  readonly bytes: number;
  /** @param most characters of a piece, about. */
  pieces(most: number): Iterable<string>;
}

/** A text, which becomes a JSON string. */
export function textData(text: string): JsonData {
  return { bytes: bytesOf(text), pieces: (most) => jsonTextPieces(text, most) };
}

/** JSON text. */
export function rawData(json: string): JsonData {
  return { bytes: bytesOf(json), pieces: () => [json] };
}

/** An object whose large members are JSON text. */
export function objectData(object: object): JsonData {
  const raw = Object.values(object).filter((member) => member instanceof RawJson);
  return {
    bytes: raw.reduce((sum, { text }) => sum + bytesOf(text), 0),
    pieces: (most) => jsonPieces(object, most),
  };
}

/** One character beyond Latin-1 makes each of a text take two bytes. */
function bytesOf(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}
