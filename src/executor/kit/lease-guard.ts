/** Prevents a node without a valid lease from sending: checks the monotonic clock before every write. */

import { ServiceError } from "../../base/errors.ts";
import type { ByteStream } from "../../base/net/byte-stream.ts";
import { monotonicMs } from "../../base/time/monotonic.ts";

export interface LeaseGuard {
  /** @throws ServiceError WorkerLost once the node's lease has expired. */
  check(): void;
  /** Wraps a stream so that it fails instead of sending once the lease has expired. */
  guard(stream: ByteStream): ByteStream;
}

/** @param leaseValidUntil one Float64 that the main thread updates on each renewal; absent: no lease. */
export function createLeaseGuard(leaseValidUntil: SharedArrayBuffer | undefined): LeaseGuard {
  const until = leaseValidUntil && new Float64Array(leaseValidUntil);
  const ended = () => until !== undefined && monotonicMs() >= (until[0] ?? 0);
  const lost = () =>
    new ServiceError(
      "WorkerLost",
      "This node could not renew its lease in time: nothing further was sent to the device.",
    );
  return {
    check() {
      if (ended()) throw lost();
    },
    guard(stream) {
      return {
        ...stream,
        write(data) {
          if (!ended()) return stream.write(data);
          stream.destroy();
          throw lost();
        },
      };
    },
  };
}
