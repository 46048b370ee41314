/** Size limits of a bulk: number of devices, and total size of the jobs. */
import { ServiceError } from "../../base/errors.ts";

export interface BulkLimits {
  readonly maxBulk: number;
  /** Maximum total size of the jobs of a bulk. */
  readonly maxBulkBytes: number;
}

/** @throws ServiceError PayloadTooLarge */
export function requireCount(count: number, { maxBulk }: Pick<BulkLimits, "maxBulk">): void {
  if (count <= maxBulk) return;
  const text = `A bulk may name at most ${maxBulk} devices; this one names ${count}.`;
  throw new ServiceError("PayloadTooLarge", text);
}

/** Counts shared parts once per device, because each job stores them. @throws ServiceError PayloadTooLarge */
export function requireBulkSize(
  { devices, ...shared }: { readonly devices: readonly unknown[] },
  limits: BulkLimits,
): void {
  requireCount(devices.length, limits);
  const bytes = JSON.stringify(shared).length * devices.length;
  const { maxBulkBytes } = limits;
  if (bytes <= maxBulkBytes) return;
  const text = `The jobs of this bulk would hold ${mib(bytes)} MiB in total, since each of its ${devices.length} devices gets a copy of the shared parts; at most ${mib(maxBulkBytes)} MiB. Split it.`;
  throw new ServiceError("PayloadTooLarge", text);
}

/** Tracks the total size of inventory values of a bulk. */
export function createInventoryRoom({ maxBulkBytes }: BulkLimits) {
  let remaining = maxBulkBytes;
  return {
    /** @throws ServiceError PayloadTooLarge */
    take(bytes: number): void {
      remaining -= bytes;
      if (remaining >= 0) return;
      const text = `The inventory data of these devices exceeds the ${mib(maxBulkBytes)} MiB that the jobs of a bulk may have together: select fewer.`;
      throw new ServiceError("PayloadTooLarge", text);
    },
  };
}

function mib(size: number): number {
  return Math.ceil(size / 1024 / 1024);
}
