/** Counts the open sessions of a connection, and signals when one ends. */

export interface SessionCount {
  open(): number;
  /** Number of opens and ends so far. */
  changes(): number;
  add(channel: Closable): void;
  /** Called at the next end of a session. */
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
