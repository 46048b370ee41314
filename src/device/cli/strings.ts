/** Strings as the runtime keeps them: parts and sums of others, until they are copied. */

/** JIT-compiled code builds a rope even for an empty operand, and copies the other one when the rope is read. */
export const joined = (first: string, rest: string) =>
  first === "" ? rest : rest === "" ? first : first + rest;

/** A string of its own: a part of another one keeps all of it in memory. */
export const copied = (text: string): string => String(JSON.parse(JSON.stringify(text)));
