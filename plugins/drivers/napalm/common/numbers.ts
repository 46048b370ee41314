/** Parses numbers that devices return as text or number, with or without blanks. */

/** An integer, or `otherwise` if it is not one. */
export function integer<Otherwise>(value: unknown, otherwise: Otherwise): number | Otherwise {
  if (typeof value === "number") return Number.isFinite(value) ? Math.trunc(value) : otherwise;
  return typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : otherwise;
}

/** A number, or `otherwise` if it is not one. */
export function decimal<Otherwise>(value: unknown, otherwise: Otherwise): number | Otherwise {
  if (typeof value === "number") return Number.isFinite(value) ? value : otherwise;
  return typeof value === "string" && /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(value)
    ? Number(value)
    : otherwise;
}

/** Rounds to this many decimal places. */
export function rounded(value: number, places: number): number {
  return Number(value.toFixed(places));
}
