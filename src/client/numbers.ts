/** Numbers as flags give them. */
import { ServiceError } from "../base/errors.ts";

/** @throws ServiceError Validation that names the flag */
export function readInteger(text: string, flag: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
  throw new ServiceError("Validation", `${flag} must be a whole number from ${min} to ${max}.`);
}
