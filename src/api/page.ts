/** Pages of a list, as callers ask the service for them. */
export interface PageAsked {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface PageOf<T> {
  readonly items: T[];
  /** Cursor of the next page; undefined at the end. */
  readonly next: string | undefined;
}
