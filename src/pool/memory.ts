/** What the template processes hold together: when it is too much, the one that holds most is ended. */

export interface SharedMemory {
  /** @returns whether this process is the one to end. */
  seen(process: object, bytes: number): boolean;
  /** What it was last seen to hold. */
  last(process: object): number;
  gone(process: object): void;
}

export function createSharedMemory(mostBytes: number): SharedMemory {
  const held = new Map<object, number>();
  return {
    seen(process, bytes) {
      held.set(process, bytes);
      let total = 0;
      let largest = 0;
      for (const bytesHeld of held.values()) {
        total += bytesHeld;
        largest = Math.max(largest, bytesHeld);
      }
      return total > mostBytes && bytes >= largest;
    },
    last: (process) => held.get(process) ?? 0,
    gone: (process) => void held.delete(process),
  };
}
