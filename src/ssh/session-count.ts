/** How many sessions of a connection are open, and when the next of them ends. */

export interface SessionCount {
  open(): number;
  /** How often one was opened or has ended so far. */
  changes(): number;
  add(channel: Closable): void;
  /** The next end of one of them. */
  onNextEnd(listener: () => void): void;
}

export interface Closable {
  once(event: "close", listener: () => void): unknown;
}

export function createSessionCount(): SessionCount {
  let open = 0;
  let changes = 0;
  let listeners: (() => void)[] = [];
  return {
    open: () => open,
    changes: () => changes,
    add(channel) {
      open++;
      changes++;
      channel.once("close", () => {
        open--;
        changes++;
        const waiting = listeners;
        listeners = [];
        for (const listener of waiting) listener();
      });
    },
    onNextEnd: (listener) => void listeners.push(listener),
  };
}
