/** Idempotency keys: a repeated submission gets the stored response for 24 hours and creates no second set of jobs. */

export interface IdempotentSubmission {
  /** Id of the API key; each API key has its own namespace. */
  readonly caller: string;
  readonly key: string;
  /** Keyed hash of endpoint and body. */
  readonly body: string;
  /** Unique to this submission. */
  readonly token: string;
  /** JSON text returned to repeated submissions. */
  readonly answer: string;
}

export interface IdempotentAnswer {
  /** Hash of the original submission; reusing the key with another body is an error of the caller. */
  readonly body: string;
  readonly answer: string;
}

export interface Idempotency {
  /**
   * The response to an earlier submission with this key; undefined if there was none.
   * @throws ServiceError Internal if the stored response is damaged
   */
  findAnswer(caller: string, key: string): Promise<IdempotentAnswer | undefined>;
}
