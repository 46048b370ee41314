/**
 * When to stop reading from a peer: while it does not read our replies, while it is the turn of others, and while
 * somebody holds it.
 */
import type { Duplex } from "node:stream";
import { giveWay } from "../time/yield.ts";

/** More than transfers and channels ever have in flight. */
const maxUnread = 4 * 1024 * 1024;

interface Hold {
  /** Replies that the peer has not read. */
  drains: boolean;
  waits: boolean;
  /** How many hold it. */
  holders: number;
  since: number;
  /** Before `since`. */
  heldMs: number;
}

const owners = new WeakMap<Duplex, string>();
const holds = new WeakMap<Duplex, Hold>();

/** The key on whose behalf this connection is open: keys take turns, whatever their devices send. */
export function ownedBy(stream: Duplex, whose: string): void {
  owners.set(stream, whose);
}

/**
 * Called for each incoming chunk: stops reading from a peer that keeps sending requests until it has read its replies,
 * and, while peers send more than this thread can take in, until the owner's turn has come.
 */
export function applyBackPressure(stream: Duplex): void {
  const hold = holdOf(stream);
  const resume = () => resumeFreed(stream, hold);
  if (!hold.drains && stream.writableLength > maxUnread && stream.writableNeedDrain) {
    hold.drains = true;
    stream.pause();
    stream.once("drain", () => {
      hold.drains = false;
      resume();
    });
  }
  if (hold.waits) return;
  const turn = giveWay(owners.get(stream));
  if (turn === undefined) return;
  hold.waits = true;
  stream.pause();
  void turn.then(() => {
    hold.waits = false;
    resume();
  });
}

/**
 * Stops reading from a peer for as long as it takes.
 * @returns reads on
 */
export function holdReading(stream: Duplex): () => void {
  const hold = holdOf(stream);
  if (hold.holders++ === 0) hold.since = performance.now();
  stream.pause();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--hold.holders > 0) return;
    hold.heldMs += performance.now() - hold.since;
    resumeFreed(stream, hold);
  };
}

/** Milliseconds for which reading from a peer was held, in all: it could not be heard then. */
export function heldMs(stream: Duplex): number {
  const hold = holds.get(stream);
  if (hold === undefined) return 0;
  return hold.heldMs + (hold.holders > 0 ? performance.now() - hold.since : 0);
}

function holdOf(stream: Duplex): Hold {
  const hold = holds.get(stream) ?? { drains: false, waits: false, holders: 0, since: 0, heldMs: 0 };
  holds.set(stream, hold);
  return hold;
}

function resumeFreed(stream: Duplex, { drains, waits, holders }: Hold): void {
  if (!drains && !waits && holders === 0) stream.resume();
}
