/** Memory limit over all template processes: if exceeded, the largest one is killed. */

export interface SharedMemory {
  /**
   * Records memory usage.
   * @returns whether this process should be killed.
   */
  seen(process: object, bytes: number): boolean;
  /** The last recorded memory usage. */
  last(process: object): number;
  gone(process: object): void;
}

export function createSharedMemory(maxBytes: number): SharedMemory {
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
      return total > maxBytes && bytes >= largest;
    },
    last: (process) => held.get(process) ?? 0,
    gone: (process) => void held.delete(process),
  };
}
