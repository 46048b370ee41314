/** The interface of oidc: people who sign in at a provider, and those who log out there. */

/** A provider of the settings. */
export interface ProviderSettings {
  /** On the button, and a step of paths. */
  readonly name: string;
  /** Its issuer URL, as written. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client. */
  readonly secretFile: string | undefined;
  /** Separated by blanks. */
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly nameClaim: string;
  /** Undefined: the public certificate authorities. */
  readonly caFile: string | undefined;
}

/** Who signed in, as the provider says it. */
export interface Identity {
  /** Name of the provider in the settings. */
  readonly provider: string;
  /** Together with `subject` the identity of a person: names change, and are given again. */
  readonly issuer: string;
  readonly subject: string;
  /** For people to read. */
  readonly name: string;
  readonly email: string | undefined;
  /** All groups of now; empty if the provider named none. */
  readonly groups: readonly string[];
  /** The session at the provider, which a logout there names. */
  readonly providerSession: string | undefined;
  /** When the ID token ends, in milliseconds since 1970. */
  readonly tokenEndsAt: number;
  /** As it came: proof of who logs out. Undefined: too long for an address. */
  readonly idToken: string | undefined;
}

/** A browser on its way to the provider. */
export interface SignInStart {
  /** Where to send it. */
  readonly location: string;
  /** For a cookie that it sends with the answer of the provider; sealed. */
  readonly state: string;
}

export interface SignedIn {
  readonly identity: Identity;
  /** Where the person wanted to go: a place of the console, as `returnPathOf` of oidc/return-path makes it. */
  readonly returnPath: string;
}

/** Whose sessions a logout at the provider ends. At least one of `subject` and `providerSession` is there. */
export interface ProviderLogout {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly providerSession: string | undefined;
}

/** One by a token that counts once. */
export interface TokenLogout extends ProviderLogout {
  /** Its sessions could not be ended: the provider may send the same token again. */
  allowAgain(): void;
}

export interface Oidc {
  /** How long the cookie with `state` may be used, in milliseconds. */
  readonly stateMs: number;
  /**
   * Begins a sign-in.
   * @param returnPath as the browser asked; anything but a place of the console is ignored
   * @throws ServiceError NotFound: no such provider; Unavailable: it is down, slow, or its answer is not valid
   */
  begin(provider: string, returnPath: string | null): Promise<SignInStart>;
  /**
   * Ends a sign-in: exchanges the code and validates what the provider says.
   * @param answer the query with which the provider sent the browser back
   * @param state of the cookie
   * @throws ServiceError NotFound; BadRequest: nothing was begun in this browser, or it was too long ago; Forbidden: what
   *   the provider says is not valid, with the reason; Unavailable
   */
  finish(provider: string, answer: URLSearchParams, state: string | undefined): Promise<SignedIn>;
  /**
   * Validates a logout token, which the provider sends itself (back channel).
   * @throws ServiceError NotFound, BadRequest, Unavailable
   */
  backChannel(provider: string, logoutToken: string): Promise<TokenLogout>;
  /**
   * Reads a logout that a page of the provider causes (front channel).
   * @throws ServiceError NotFound, BadRequest, Unavailable
   */
  frontChannel(provider: string, query: URLSearchParams): Promise<ProviderLogout>;
  /**
   * Where a person also logs out of the provider with this issuer; undefined if that is not possible, or nobody knows
   * now.
   * @param idToken which some providers demand, and others take as the answer to whether the person wants it
   */
  logoutUrl(issuer: string, idToken?: string): Promise<string | undefined>;
}
