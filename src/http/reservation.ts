/** What one request holds of the service from its arrival until its answer was sent: its place, bytes, a list. */
import type { Admission } from "../queue/port.ts";

export interface Reservation {
  /** @throws ServiceError TooManyRequests */
  holdBytes(count: number): void;
  /** The answer is sent piece by piece: whoever sends it ends the reservation. */
  keepUntilSent(): void;
  /** The route has answered. @returns whether the answer is still being sent. */
  answered(): boolean;
  /** Gives everything back. */
  end(): void;
  /** A stream, which has a limit of its own, is no request under way. */
  leaveRequests(): void;
  /** Given back with the rest. */
  hold(giveBack: () => void): void;
}

/** @throws ServiceError TooManyRequests */
export function reserve({ requests, bytes }: Admission, key: string): Reservation {
  const leaveRequests = requests.take(key);
  const held = [leaveRequests];
  let sending = false;

  function end(): void {
    for (const giveBack of held.splice(0)) giveBack();
  }

  return {
    holdBytes: (count) => void held.push(bytes.take(key, count)),
    hold: (giveBack) => void held.push(giveBack),
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
