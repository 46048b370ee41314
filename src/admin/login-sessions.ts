/** Starts, lists and ends login sessions, which have the rights and lifetime of their API key. */

import { scopeOf } from "../api/key.ts";
import type { LoginSessionRecord } from "../api/login-session.ts";
import { seesAll } from "../auth/caller.ts";
import { makeSessionToken } from "../auth/make-key.ts";
import type { Caller } from "../auth/port.ts";
import { rightsOf } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import type { Store, StoredLoginSession } from "../store/port.ts";

export interface LoginSessionTools {
  readonly store: Pick<Store, "loginSessions">;
  readonly iso: (ms: number) => string;
}

const maxAgentLength = 200;

export function createLoginSessions({ store: { loginSessions }, iso }: LoginSessionTools) {
  const recordOf = (session: StoredLoginSession, caller: Caller): LoginSessionRecord => ({
    id: session.id,
    key: session.key.name,
    scope: scopeOf(session.key.scope),
    hosts: session.key.hosts,
    rights: rightsOf(session.key),
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
      const token = makeSessionToken();
      const session = await loginSessions.add(
        { token, keyId: caller.keyId, address: caller.from, agent: agent?.slice(0, maxAgentLength) ?? null },
        caller,
      );
      return { token, session: { ...recordOf(session, caller), current: true } };
    },

    async listLoginSessions(caller: Caller): Promise<LoginSessionRecord[]> {
      const sessions = await loginSessions.list(seesAll(caller) ? undefined : caller.keyId);
      return sessions.map((session) => recordOf(session, caller));
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
