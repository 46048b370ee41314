/** How long the reader waits before it believes what it sees, from what the line has shown of its speed. */

const shortestSilenceMs = 12;
const longestSilenceMs = 400;
const longestGuardMs = 1;
/** What one segment holds on most networks: the network cuts no answer that is smaller. */
const segmentBytes = 1400;
/** More than such a segment takes on a gigabit line; slower ones show in the round trip. */
const segmentMs = 0.02;

/** How long nothing must follow a doubtful prompt: about a round trip, as the session has measured it. */
export function silenceMs(rttMs: number | undefined, delayFactor: number): number {
  const aRoundTrip = Math.min(
    longestSilenceMs,
    Math.max(shortestSilenceMs, (rttMs ?? shortestSilenceMs) * 1.25),
  );
  return aRoundTrip * Math.max(1, delayFactor);
}

/**
 * Lets what the socket holds already arrive; far below a round trip. However short, the channel reads the
 * socket again before it settles: that is enough where only the device itself can have cut its answer.
 */
export function guardMs(received: number, rttMs: number | undefined, delayFactor: number): number {
  const least = received > segmentBytes ? segmentMs : 0;
  const aTwentieth = (rttMs ?? longestGuardMs) * 0.05;
  return Math.min(longestGuardMs, Math.max(least, aTwentieth)) * Math.max(1, delayFactor);
}

/** A line that comes byte by byte (a serial console) is slower than the network lets expect. */
export function patienceMs(usualMs: number, arrivals: { packets: number; longestGapMs: number }): number {
  return arrivals.packets > 2 ? Math.max(usualMs, arrivals.longestGapMs * 4) : usualMs;
}
