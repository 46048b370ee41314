/** Computes how long the reader waits before it trusts a prompt, from the measured speed of the line. */

const minSilenceMs = 12;
const maxSilenceMs = 400;
const maxGuardMs = 1;
/** Payload of one segment on most networks: smaller answers are not split by the network. */
const segmentBytes = 1400;
/** Longer than such a segment takes on a gigabit link; slower links show in the round-trip time. */
const segmentMs = 0.02;

/** Required silence after an uncertain prompt: about one measured round trip. */
export function silenceMs(rttMs: number | undefined, delayFactor: number): number {
  const aRoundTrip = Math.min(maxSilenceMs, Math.max(minSilenceMs, (rttMs ?? minSilenceMs) * 1.25));
  return aRoundTrip * Math.max(1, delayFactor);
}

/**
 * Lets data that is already in the socket arrive; far shorter than a round trip. The channel reads the socket again
 * before it settles, however short the wait: that suffices where only the device itself can have split its answer.
 */
export function guardMs(received: number, rttMs: number | undefined, delayFactor: number): number {
  const least = received > segmentBytes ? segmentMs : 0;
  const aTwentieth = (rttMs ?? maxGuardMs) * 0.05;
  return Math.min(maxGuardMs, Math.max(least, aTwentieth)) * Math.max(1, delayFactor);
}

/** A line that arrives byte by byte (a serial console) is slower than the network suggests. */
export function toleratedGapMs(usualMs: number, arrivals: { packets: number; longestGapMs: number }): number {
  return arrivals.packets > 2 ? Math.max(usualMs, arrivals.longestGapMs * 4) : usualMs;
}
