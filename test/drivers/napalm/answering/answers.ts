/** What an answering device says, and how to log in to it. */

/** The answer to a request; undefined: the device rejects it. */
export interface Answers {
  readonly to: (request: string) => string | undefined;
}

export interface AnsweringDevice {
  /** https for eAPI and NX-API. */
  readonly port: number;
  readonly httpPort?: number;
  /** Requests of all sessions, in order. */
  readonly asked: string[];
  close(): void | Promise<void>;
}

export const login = { username: "admin", password: "canary-napalm-2" } as const;

/** Answers by request. */
export function answersFrom(texts: Readonly<Record<string, string>>): Answers {
  return { to: (request) => (Object.hasOwn(texts, request) ? texts[request] : undefined) };
}
