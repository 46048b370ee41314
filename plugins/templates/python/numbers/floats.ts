/** Floats as text: Python's `repr`, and exact rounding to a number of digits (half to even). */

/** `repr(x)`: the shortest digits that round-trip, in Python's choice of notation. */
export function floatRepr(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e16) {
    const text = String(value);
    return Number.isInteger(value) ? `${text}.0` : text;
  }
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  return `${digits}e${pythonExponent(Number(exponent))}`;
}

/** An exponent with a sign and at least two digits. */
export function pythonExponent(exponent: number): string {
  return `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A finite float as an exact fraction: value = mantissa * 2 ** exponent. */
export function parts(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const raw = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return raw === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10000000000000n, exponent: raw - 1075 };
}

/** round(|value| * 10 ** digits) as an exact integer, half to even; `digits` may be negative. */
export function scaled(value: number, digits: number): bigint {
  const { mantissa, exponent } = parts(Math.abs(value));
  let top = mantissa;
  let bottom = 1n;
  if (digits >= 0) top *= 10n ** BigInt(digits);
  else bottom *= 10n ** BigInt(-digits);
  if (exponent >= 0) top <<= BigInt(exponent);
  else bottom <<= BigInt(-exponent);
  return divideHalfEven(top, bottom);
}

/** top / bottom rounded to the nearest integer, half to even; both are positive. */
function divideHalfEven(top: bigint, bottom: bigint): bigint {
  const quotient = top / bottom;
  const twice = (top % bottom) * 2n;
  if (twice > bottom || (twice === bottom && (quotient & 1n) === 1n)) return quotient + 1n;
  return quotient;
}

/** |value| in fixed notation, without a sign. */
export function fixed(value: number, digits: number): string {
  const size = Math.abs(value);
  // toFixed rounds the exact value but breaks ties away from zero; below 1e15 it is otherwise correct.
  if (size < 1e15 && digits <= 15 && (size * 10 ** digits) % 1 !== 0.5) return size.toFixed(digits);
  const text = scaled(value, digits)
    .toString()
    .padStart(digits + 1, "0");
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** `count` significant digits of |value| and the exponent of the first one. */
export function significant(value: number, count: number): { digits: string; exponent: number } {
  if (value === 0) return { digits: "0".repeat(count), exponent: 0 };
  let exponent = Number(Math.abs(value).toExponential().split("e")[1]);
  let digits = scaled(value, count - 1 - exponent).toString();
  if (digits.length > count) {
    exponent++;
    digits = scaled(value, count - 1 - exponent).toString();
  }
  return { digits, exponent };
}

/** Python's `round(value, digits)` of a float. */
export function roundFloat(value: number, digits: number): number {
  if (!Number.isFinite(value) || digits > 330) return value;
  if (digits < -330) return value < 0 ? -0 : 0;
  const exact = scaled(value, digits);
  const size = digits > 0 ? Number(`${exact}e-${digits}`) : Number(exact * 10n ** BigInt(-digits));
  return value < 0 ? -size : size;
}

/** `x.hex()`. */
export function floatHex(value: number): string {
  if (!Number.isFinite(value)) return floatRepr(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return `${sign}0x0.0p+0`;
  const { mantissa, exponent } = parts(Math.abs(value));
  const digits = (mantissa & 0xfffffffffffffn).toString(16).padStart(13, "0");
  const integerPart = mantissa >> 52n;
  const power = exponent + 52;
  return `${sign}0x${integerPart}.${digits}p${power < 0 ? "" : "+"}${power}`;
}
