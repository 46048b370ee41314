/** Texts that a driver declared secret during a session: masked for each task that uses the session. */
import type { TaskMask } from "./masking.ts";

export interface SessionSecrets {
  hide(text: string): void;
  /** The task that uses the session from now on. */
  usedBy(mask: TaskMask): void;
}

/** A session that logs in again and again has a new token each time; the oldest no longer work. */
const most = 100;

export function createSessionSecrets(): SessionSecrets {
  const texts = new Set<string>();
  let current: TaskMask | undefined;
  return {
    hide(text) {
      texts.add(text);
      const [oldest] = texts;
      if (texts.size > most && oldest !== undefined) texts.delete(oldest);
      current?.add(text, "all");
    },
    usedBy(mask) {
      current = mask;
      mask.add([...texts], "all");
    },
  };
}
