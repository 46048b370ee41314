/** Starts, lists and ends login sessions, which have the rights and lifetime of their API key. */

import { scopeOf } from "../api/access/key.ts";
import type { LoginSessionRecord } from "../api/access/login-session.ts";
import { seesAll } from "../auth/caller.ts";
import type { Holders } from "../auth/holders.ts";
import { makeSessionToken } from "../auth/make-key.ts";
import type { Caller, Holder } from "../auth/port.ts";
import { hasRight, rightsOf } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import type { Store, StoredLoginSession } from "../store/port.ts";

export interface LoginSessionTools {
  readonly store: Pick<Store, "loginSessions">;
  readonly holders: Pick<Holders, "byId">;
  readonly iso: (ms: number) => string;
  /** Whether people may begin a session with a key; default: yes. */
  readonly keyLogin?: boolean;
}

const maxAgentLength = 200;

/** As it is stored. */
export const agentOf = (agent: string | null) => agent?.slice(0, maxAgentLength) ?? null;

/** A caller has the limits of its holder. */
const holderOf = ({ name, scope, hosts, rights, recipes, person }: Caller) => ({
  ...{ name, scope, hosts, rights: rights ?? null, recipes: recipes ?? null },
  ...(person === undefined ? {} : { person }),
});

export function createLoginSessions({
  store: { loginSessions },
  holders,
  iso,
  keyLogin = true,
}: LoginSessionTools) {
  const recordOf = (
    session: StoredLoginSession,
    holder: Pick<Holder, "name" | "scope" | "hosts" | "rights" | "recipes" | "person">,
    caller: Caller,
  ): LoginSessionRecord => ({
    id: session.id,
    // A key of a person is shown with its person: `anna/laptop`.
    key: holder.name === holder.person?.name ? null : holder.name,
    person: holder.person?.name ?? null,
    scope: scopeOf(holder.scope),
    hosts: holder.hosts,
    rights: rightsOf(holder),
    recipes: holder.recipes,
    created_at: iso(session.createdAt),
    last_seen_at: iso(session.lastSeenAt),
    expires_at: iso(session.expiresAt),
    address: session.address,
    agent: session.agent,
    current: session.id === caller.sessionId,
  });

  return {
    async beginLoginSession(caller: Caller, agent: string | null) {
      if (caller.sessionId !== undefined)
        throw new ServiceError(
          "Forbidden",
          "A session is created with an API key, not with another session.",
        );
      // The key for emergencies is for the time when nobody can sign in otherwise.
      if (!keyLogin && !hasRight(caller, "break_glass"))
        throw new ServiceError(
          "Forbidden",
          "Sign-in with an API key is switched off here (key_login): sign in by a provider.",
        );
      const token = makeSessionToken();
      const session = await loginSessions.add(
        { token, holder: caller.keyId, address: caller.from, agent: agentOf(agent) },
        caller,
      );
      return { token, session: { ...recordOf(session, holderOf(caller), caller), current: true } };
    },

    async listLoginSessions(caller: Caller): Promise<LoginSessionRecord[]> {
      const sessions = await loginSessions.list(seesAll(caller) ? undefined : caller.keyId);
      const ids = [...new Set(sessions.map(({ holder }) => holder))];
      const found = await Promise.all(ids.map((id) => holders.byId(id)));
      const byId = new Map(
        found.flatMap((holder) => (holder?.state === "in_force" ? [[holder.id, holder]] : [])),
      );
      return sessions.flatMap((session) => {
        const holder = byId.get(session.holder);
        return holder === undefined ? [] : [recordOf(session, holder, caller)];
      });
    },

    async endLoginSession(name: string, caller: Caller): Promise<string> {
      const id = name === "current" ? caller.sessionId : name;
      const ended =
        id !== undefined && (await loginSessions.end(id, caller, seesAll(caller) ? undefined : caller.keyId));
      if (!ended) throw new ServiceError("NotFound", "There is no such session.");
      return id;
    },
  };
}
