/**
 * Logins of command lines: a machine asks, a person confirms in the console, and the machine gets a key of that person.
 * All that waits is in the store, so any node answers.
 */
import { createHash, randomBytes, randomInt } from "node:crypto";
import type { MadeKey } from "../api/access/key.ts";
import {
  type AskedLoginRequest,
  type DecidedLogin,
  type LoginToken,
  loginDecision,
  loginRequestLimits,
  loginTokenRequest,
  newLoginRequest,
  plainUserCode,
  shownUserCode,
  userCodeLength,
  userCodeLetters,
  type WaitingLogin,
} from "../api/access/login-request.ts";
import type { Body } from "../api/body.ts";
import type { Caller, PersonName } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { invalid } from "../base/issues.ts";
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import { pause } from "../base/time/deadline.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { AskedLogin, Store, StoredLoginRequest } from "../store/port.ts";

export interface MachineLoginTools {
  readonly store: Pick<Store, "loginRequests" | "clock" | "shared">;
  readonly iso: (ms: number) => string;
  /** Life of a key of a machine, in days. */
  readonly keyDays: number;
  addKeyFor(personId: string, machine: string, from: string | null): Promise<MadeKey>;
  /** Between two looks at the store while machines wait here and another node may have the answer. */
  readonly lookMs?: number;
}

/** How a person names the request of a machine. */
export interface NamedLogin {
  readonly request?: string | undefined;
  readonly user_code?: string | undefined;
}

const lookMs = 1_000;
/** Persons whose wrong codes are counted. */
const maxGuessers = 10_000;

export function createMachineLogins(tools: MachineLoginTools) {
  const { store, iso, keyDays } = tools;
  const { loginRequests, clock } = store;
  const waiters = createWaiters(store, tools.lookMs ?? lookMs);
  const guesses = createBoundedCache<{ count: number; readonly since: number }>(maxGuessers);

  /** @throws ServiceError TooManyRequests */
  function requireGuesses(person: PersonName): void {
    const known = guesses.get(person.id);
    if (known === undefined || known.count < loginRequestLimits.guesses) return;
    const leftMs = known.since + loginRequestLimits.guessMs - clock.steady();
    if (leftMs <= 0) return;
    throw new ServiceError(
      "TooManyRequests",
      "You typed too many wrong codes: wait, then look at the machine again.",
      {
        retryAfter: Math.ceil(leftMs / 1_000),
      },
    );
  }

  function wrongGuess(person: PersonName): void {
    const known = guesses.get(person.id);
    const now = clock.steady();
    const isOver = known === undefined || now - known.since >= loginRequestLimits.guessMs;
    const record = isOver ? { count: 0, since: now } : known;
    record.count++;
    guesses.set(person.id, record);
  }

  /** @throws ServiceError NotFound, TooManyRequests, Validation */
  async function findOne<T>(
    named: NamedLogin,
    person: PersonName,
    look: (asked: AskedLogin) => Promise<T | undefined>,
  ): Promise<T> {
    const { request: id, user_code: typed } = named;
    if ((id === undefined) === (typed === undefined))
      throw invalid("user_code", "needs either this or request");
    if (id !== undefined) {
      const found = await look({ id });
      if (found !== undefined) return found;
      throw new ServiceError("NotFound", "No machine waits with this link any more: begin again there.");
    }
    requireGuesses(person);
    const userCode = plainUserCode(typed ?? "");
    const found = userCode === undefined ? undefined : await look({ userCode });
    if (found !== undefined) return found;
    wrongGuess(person);
    throw new ServiceError(
      "NotFound",
      "No machine waits with this code: compare it with the one that it shows.",
    );
  }

  const ended = () =>
    new ServiceError("NotFound", "This login waits no more: it has ended, or was used. Begin again.");

  return {
    async askForLogin(body: Body, from: string | null): Promise<AskedLoginRequest> {
      const { challenge, machine, port = null } = checkShape(newLoginRequest, body.value);
      const id = randomBytes(16).toString("base64url");
      const userCode = port === null ? makeUserCode() : null;
      const expiresAt = clock.wall() + loginRequestLimits.waitMs;
      const added = await loginRequests.add({ id, challenge, port, machine, address: from, userCode });
      if (added === "full") {
        const { perAddress } = loginRequestLimits;
        const text = `Too many logins wait to be confirmed: at most ${perAddress} from one address, for 10 minutes.`;
        throw new ServiceError("TooManyRequests", text, { retryAfter: 60 });
      }
      return {
        request: id,
        user_code: userCode === null ? null : shownUserCode(userCode),
        page: port === null ? "/#/confirm" : `/#/confirm?request=${id}`,
        expires_at: iso(expiresAt),
      };
    },

    async waitingLogin(named: NamedLogin, caller: Caller): Promise<WaitingLogin> {
      const found = await findOne(named, requireOwnSession(caller), loginRequests.find);
      const { machine, address, port, askedAt, endsAt } = found;
      return { machine, address, port, asked_at: iso(askedAt), expires_at: iso(endsAt), key_days: keyDays };
    },

    async decideLogin(body: Body, caller: Caller): Promise<DecidedLogin> {
      const person = requireOwnSession(caller);
      const { confirm, ...named } = checkShape(loginDecision, body.value);
      const code = named.request === undefined || !confirm ? null : randomBytes(32).toString("base64url");
      const decision = { confirmed: confirm, personId: person.id, code };
      const { id, port } = await findOne(named, person, (asked) =>
        loginRequests.decide(asked, decision, caller),
      );
      waiters.decided(id);
      if (port === null) return { return_to: null };
      return { return_to: `http://127.0.0.1:${port}/?${code === null ? "denied=1" : `code=${code}`}` };
    },

    async exchangeLogin(body: Body, from: string | null, signal: AbortSignal): Promise<LoginToken> {
      const { request: id, verifier, code = null } = checkShape(loginTokenRequest, body.value);
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      const holdsFor = performance.now() + loginRequestLimits.holdMs;
      for (;;) {
        const waiting = waiters.wait(id, signal);
        try {
          const found = await loginRequests.stateOf(id, challenge);
          if (found === undefined) throw ended();
          if (found.state === "denied")
            throw new ServiceError("Forbidden", "The person denied this login: nothing was given.");
          if (found.state === "confirmed") return await keyOf(found, challenge, code, from);
          const leftMs = holdsFor - performance.now();
          if (code !== null || leftMs <= 0 || signal.aborted)
            return { state: "waiting", person: null, key: null };
          await waiting.news(leftMs);
        } finally {
          waiting.end();
        }
      }
    },
  };

  async function keyOf(
    { id, personId }: StoredLoginRequest,
    challenge: string,
    code: string | null,
    from: string | null,
  ): Promise<LoginToken> {
    const taken = await loginRequests.take(id, challenge, code);
    if (taken === undefined) throw ended();
    const key = await tools.addKeyFor(personId ?? "", taken.machine, from);
    return { state: "done", person: key.name.slice(0, key.name.lastIndexOf("/")), key };
  }
}

/** 34 bits, for ten minutes, of which few guesses are taken. */
function makeUserCode(): string {
  return Array.from(
    { length: userCodeLength },
    () => userCodeLetters[randomInt(userCodeLetters.length)],
  ).join("");
}

/** @throws ServiceError Forbidden: a key must not make others without its person */
function requireOwnSession({ person, sessionId, keyId }: Caller): PersonName {
  if (person !== undefined && sessionId !== undefined && keyId === person.id) return person;
  throw new ServiceError(
    "Forbidden",
    "A login of a machine is confirmed by a person who has signed in here, not with a key: keys of persons come from it.",
  );
}

/** Wakes requests that wait for the answer of a person. Of the answers on other nodes the store is asked, once for all. */
function createWaiters({ loginRequests, shared }: MachineLoginTools["store"], everyMs: number) {
  const byId = new Map<string, Set<() => void>>();
  let looking = false;

  function decided(id: string): void {
    for (const wake of byId.get(id) ?? []) wake();
  }

  async function look(): Promise<void> {
    looking = true;
    while (byId.size > 0) {
      await pause(everyMs);
      const news = await loginRequests.decided([...byId.keys()]).catch(() => []);
      for (const id of news) decided(id);
    }
    looking = false;
  }

  return {
    decided,
    wait(id: string, signal: AbortSignal) {
      const over = new AbortController();
      const wake = () => over.abort();
      const ofId = byId.get(id) ?? new Set();
      byId.set(id, ofId);
      ofId.add(wake);
      signal.addEventListener("abort", wake);
      if (shared && !looking) void look();
      return {
        /** Until there are some, or the time is over. */
        news: (ms: number) => pause(ms, over.signal),
        end() {
          signal.removeEventListener("abort", wake);
          ofId.delete(wake);
          if (ofId.size === 0) byId.delete(id);
        },
      };
    },
  };
}
