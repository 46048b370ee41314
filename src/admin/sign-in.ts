/** Sign-in of people by OpenID Connect: who has a role begins a session; a logout at the provider ends it here, too. */
import type { Holders } from "../auth/holders.ts";
import { makeSessionToken } from "../auth/make-key.ts";
import { ServiceError } from "../base/errors.ts";
import type { Identity, Oidc, ProviderLogout } from "../oidc/port.ts";
import type { Actor, Store, StoredPerson } from "../store/port.ts";
import { agentOf } from "./login-sessions.ts";
import type { SignIn } from "./port.ts";

export interface SignInOptions {
  readonly store: Pick<Store, "persons" | "loginSessions" | "audit" | "clock">;
  readonly holders: Pick<Holders, "ofPerson">;
  /** Names of the providers. */
  readonly providers: readonly string[];
  /** @throws ServiceError NotFound: the settings have no provider */
  readonly oidc: () => Promise<Oidc>;
  /** Whether a session may be begun with an API key. */
  readonly byKey: boolean;
  /** Longest life of a person's session. */
  readonly longestMs: number;
  /** The session ends with the ID token at the latest. */
  readonly endsWithToken: boolean;
  /** Called for each session that the provider ended. */
  readonly onEnded: (id: string) => void;
  /** Called after the groups of a known person were replaced. */
  readonly onChanged: () => void;
}

/** Even if the token has ended already, as clocks differ. */
const leastMs = 60_000;

export function createSignIn(options: SignInOptions): SignIn {
  const { store, holders, oidc } = options;

  /**
   * The person with what the provider says now. A stranger without a role is not stored: everybody at the provider could
   * fill the table. Somebody who is known is: keys of theirs must not keep groups of before.
   */
  async function storedPerson(identity: Identity, from: string | null): Promise<StoredPerson | undefined> {
    const { issuer, subject, name, groups } = identity;
    const described = { issuer, subject, name, email: identity.email ?? null, groups: [...groups] };
    const known = await store.persons.bySubject(issuer, subject);
    if (known === undefined) {
      const stranger = { ...described, id: "", blockedAt: null, forgottenAt: null };
      if ((await holders.ofPerson(stranger)).state !== "in_force") return undefined;
    }
    const stored = await store.persons.signIn(described, from);
    if (known !== undefined && !isSameSet(known.groups, groups)) options.onChanged();
    if (stored !== undefined) return stored;
    throw new ServiceError("Unavailable", "There are too many persons: an administrator must forget some.");
  }

  async function endAll(ended: ProviderLogout, provider: string, from: string | null) {
    const by: Actor = { keyId: provider, name: provider, from };
    const { issuer, subject, providerSession } = ended;
    if (providerSession !== undefined)
      return store.loginSessions.endAll({ providerSession: storedSession(issuer, providerSession) }, by);
    const person = subject === undefined ? undefined : await store.persons.bySubject(issuer, subject);
    return person === undefined ? [] : store.loginSessions.endAll({ holder: person.id }, by);
  }

  return {
    ways: () => ({ key: options.byKey, providers: options.providers }),

    begin: async (provider, returnPath) => {
      const { stateMs, begin } = await oidc();
      return { ...(await begin(provider, returnPath)), stateMs };
    },

    async finish({ provider, answer, state, from, agent }) {
      const { identity, returnPath } = await (await oidc()).finish(provider, answer, state);
      const person = await storedPerson(identity, from);
      const holder = person && (await holders.ofPerson(person));
      if (person === undefined || holder?.state !== "in_force") {
        const why = person?.blockedAt ? "blocked" : "no_role";
        const caller = { keyId: person?.id ?? identity.subject, name: person?.name ?? identity.name, from };
        await store.audit.add({
          caller,
          action: "person.refused",
          outcome: why,
          detail: `${identity.issuer} ${identity.subject}`,
        });
        return { refused: why, identity };
      }
      const now = store.clock.wall();
      const tokenEnd = options.endsWithToken ? identity.tokenEndsAt : Number.POSITIVE_INFINITY;
      const latestEnd = Math.min(now + options.longestMs, Math.max(tokenEnd, now + leastMs));
      const token = makeSessionToken();
      const { issuer, providerSession } = identity;
      await store.loginSessions.add(
        {
          token,
          holder: person.id,
          address: from,
          agent: agentOf(agent),
          providerSession: providerSession === undefined ? null : storedSession(issuer, providerSession),
          latestEnd,
          idToken: identity.idToken,
        },
        { keyId: person.id, name: person.name, from },
      );
      return { token, lastsMs: latestEnd - now, returnPath };
    },

    async endByBackChannel(provider, logoutToken, from) {
      const logout = await (await oidc()).backChannel(provider, logoutToken);
      try {
        (await endAll(logout, provider, from)).forEach(options.onEnded);
      } catch (error) {
        logout.allowAgain();
        throw error;
      }
    },

    async endByFrontChannel(provider, query, from) {
      const logout = await (await oidc()).frontChannel(provider, query);
      const ended = await endAll(logout, provider, from);
      ended.forEach(options.onEnded);
      return { framedBy: new URL(logout.issuer).origin };
    },

    async beginLogout({ person, sessionId }) {
      if (person === undefined || options.providers.length === 0) return async () => undefined;
      const stored = await store.persons.byId(person.id);
      const idToken = sessionId === undefined ? undefined : await store.loginSessions.idTokenOf(sessionId);
      return async () => stored && (await oidc()).logoutUrl(stored.issuer, idToken);
    },
  };
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  const held = new Set(some);
  return held.size === new Set(others).size && others.every((one) => held.has(one));
}

/** Sessions of two providers may have the same id. */
function storedSession(issuer: string, id: string): string {
  return `${issuer} ${id}`;
}
