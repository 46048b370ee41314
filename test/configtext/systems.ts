/** A system as its documentation has its configurations. */

export interface System {
  readonly name: string;
  readonly source: string;
  readonly show: string;
  readonly startup?: string;
  readonly part?: "set";
  /** Above the lines, at two times. */
  readonly head?: readonly [string, string];
  /** Above what is loaded at the next start. */
  readonly startupHead?: string;
  /** Secrets between « and ». */
  readonly body: string;
  /** Below the lines, at two times. */
  readonly foot?: readonly [string, string];
  readonly startupFoot?: string;
  readonly by?: { readonly user?: string; readonly at?: string };
  /** A line of the body, and another one. */
  readonly change: readonly [string, string];
}
