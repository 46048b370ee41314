/** Numbers out of what devices say: as text or number, with blanks around them. */

/** A whole number, or `otherwise` where it is none. */
export function integer<Otherwise>(value: unknown, otherwise: Otherwise): number | Otherwise {
  if (typeof value === "number") return Number.isFinite(value) ? Math.trunc(value) : otherwise;
  return typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : otherwise;
}

/** A number with or without a fraction, or `otherwise` where it is none. */
export function decimal<Otherwise>(value: unknown, otherwise: Otherwise): number | Otherwise {
  if (typeof value === "number") return Number.isFinite(value) ? value : otherwise;
  return typeof value === "string" && /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(value)
    ? Number(value)
    : otherwise;
}

/** To that many places behind the point. */
export function rounded(value: number, places: number): number {
  return Number(value.toFixed(places));
}
