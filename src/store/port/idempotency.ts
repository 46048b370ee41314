/** The same submission sent twice makes its jobs once: for 24 hours a key stands for the answer that was given. */

export interface IdempotentSubmission {
  /** Id of the API key: two callers may use the same key. */
  readonly caller: string;
  readonly key: string;
  /** Keyed hash of the endpoint and the body. */
  readonly body: string;
  /** Unique to this submission. */
  readonly token: string;
  /** JSON text that a repeated submission is answered with. */
  readonly answer: string;
}

export interface IdempotentAnswer {
  /** Hash of what was submitted then: another body under the same key is the caller's mistake. */
  readonly body: string;
  readonly answer: string;
}

export interface Idempotency {
  /**
   * What an earlier submission with this key was answered; undefined when there was none.
   * @throws ServiceError Internal when the stored answer is damaged.
   */
  findAnswer(caller: string, key: string): Promise<IdempotentAnswer | undefined>;
}
