/** When to stop reading from a peer: while it does not read our replies, and while it is the turn of others. */
import type { Duplex } from "node:stream";
import { giveWay } from "./yield.ts";

/** More than transfers and channels ever have in flight. */
const maxUnread = 4 * 1024 * 1024;

interface Hold {
  /** Replies that the peer has not read. */
  drains: boolean;
  waits: boolean;
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
  const hold = holds.get(stream) ?? { drains: false, waits: false };
  holds.set(stream, hold);
  const resume = () => {
    if (!hold.drains && !hold.waits) stream.resume();
  };
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
