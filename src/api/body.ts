/** A request body. */

/** A request body as text and as JSON; template contexts need the raw text. */
export interface Body {
  readonly text: string;
  /** May be parsed lazily. @throws ServiceError BadRequest, Validation */
  readonly value: unknown;
}
