/** Resources that a request holds from arrival until its answer has been sent: its slot, bytes, a list. */
import type { Admission } from "../../limits/port.ts";

export interface Reservation {
  /** @throws ServiceError TooManyRequests */
  holdBytes(count: number): void;
  /** The answer is streamed: the sender ends the reservation. */
  keepUntilSent(): void;
  /**
   * The handler has returned.
   * @returns whether the answer is still being sent.
   */
  answered(): boolean;
  /** Releases everything. */
  end(): void;
  /** A stream has its own limit and no longer counts as a request in progress. */
  leaveRequests(): void;
  /** Registers something to release with the rest. */
  hold(giveBack: () => void): void;
}

/** @throws ServiceError TooManyRequests */
export function reserve({ requests, bytes }: Admission, key: string): Reservation {
  const leaveRequests = requests.take(key);
  const releases = [leaveRequests];
  let sending = false;

  function end(): void {
    for (const giveBack of releases.splice(0)) giveBack();
  }

  return {
    holdBytes: (count) => void releases.push(bytes.take(key, count)),
    hold: (giveBack) => void releases.push(giveBack),
    leaveRequests,
    keepUntilSent() {
      sending = true;
    },
    answered() {
      if (!sending) end();
      return sending;
    },
    end,
  };
}
