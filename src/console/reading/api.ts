/** Client of the HTTP API; authenticated by the session cookie. */
import * as v from "valibot";
import { includesScope, type Right, type Scope } from "../../api/access/key.ts";
import { endedSession, signedInCookie } from "../../api/access/login.ts";
import { mayRunRecipe } from "../../api/access/recipe-right.ts";
import { parseExact, stringifyExact } from "../../base/json/exact-json.ts";
import { keep, kept } from "../kept.ts";
import { type Session, session, ways as waysIn } from "../shapes/shapes.ts";
import { shared } from "./shared.ts";

/** An error response of the API. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly data: unknown;

  constructor(status: number, message: string, data: unknown) {
    super(message);
    this.status = status;
    this.data = data;
  }
}

/** The service did not answer. */
export class Unreachable extends Error {}

/** The current session: undefined while unknown, null if nobody is logged in. */
export const me = shared<Session | null | undefined>(undefined);
/** Whether the service answered the last request. */
export const reachable = shared(true);
/** How often the service refused work (503, 507): the reason is worth a look. */
export const refusals = shared(0);

export interface Asking {
  readonly method?: "GET" | "POST" | "DELETE" | "PUT" | "PATCH";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly text?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface Page<T> {
  readonly data: T;
  /** Cursor of the next page. */
  readonly next: string | undefined;
  /** Number of all matches, if the list reports it. */
  readonly total: number | undefined;
  readonly etag: string | undefined;
  /** Warnings of the envelope. */
  readonly warnings: readonly string[];
  /** Where to log out of a person's provider, too. */
  readonly logoutUrl: string | undefined;
}

const envelope = v.object({
  code: v.number(),
  message: v.string(),
  data: v.optional(v.unknown()),
  warnings: v.optional(v.array(v.string()), []),
  ...endedSession.entries,
});
const noSession = ["The session has expired: log in again.", "The API key is missing or not valid."];

/** @throws ApiError the service refused; Unreachable */
export async function page<S extends v.GenericSchema>(
  schema: S,
  path: string,
  asking: Asking = {},
): Promise<Page<v.InferOutput<S>>> {
  const { method = "GET", body, text, headers = {}, signal } = asking;
  const sent = text ?? (body === undefined ? undefined : stringifyExact(body));
  const type = text === undefined ? "application/json" : "text/plain; charset=utf-8";
  const { response, said } = await reach(path, {
    method,
    headers: { ...(sent === undefined ? {} : { "Content-Type": type }), ...headers },
    body: sent,
    signal,
  });
  const answer = v.parse(envelope, parseExact(said));
  if (answer.code === 200)
    return {
      data: v.parse(schema, answer.data),
      next: response.headers.get("X-Next-Cursor") ?? undefined,
      total: countOf(response.headers.get("X-Total-Count")),
      etag: response.headers.get("ETag") ?? undefined,
      warnings: answer.warnings,
      logoutUrl: answer.logout_url,
    };
  if (response.status === 403 && noSession.includes(answer.message)) {
    sessionFlag.forget();
    me.value = null;
  }
  throw new ApiError(response.status, answer.message, answer.data);
}

const countOf = (text: string | null) => (text === null ? undefined : Number(text));

/** @throws as `page` */
export async function ask<S extends v.GenericSchema>(
  schema: S,
  path: string,
  asking?: Asking,
): Promise<v.InferOutput<S>> {
  return (await page(schema, path, asking)).data;
}

/** An answer, whatever it says. @throws Unreachable; what the signal says */
export async function reach(path: string, init: RequestInit) {
  try {
    const response = await fetch(path, { ...init, credentials: "same-origin" });
    const said = await response.text();
    reachable.value = response.status !== 503;
    if (response.status === 503 || response.status === 507) refusals.value += 1;
    return { response, said };
  } catch (error) {
    if (init.signal?.aborted) throw error;
    reachable.value = false;
    throw new Unreachable(String(error));
  }
}

/** Whether a session was started in this browser: without one, no request is needed. */
const sessionFlag = {
  name: "patchbay.session",
  get: () => kept(sessionFlag.name) !== undefined,
  set: () => keep(sessionFlag.name, "begun"),
  forget: () => keep(sessionFlag.name, undefined),
};

/** How people sign in here. */
export const ways = () => ask(waysIn, "/login");

/** A sign-in by a provider ends outside of this page: its cookie tells. */
function noticeSignIn(): void {
  if (!document.cookie.split("; ").includes(`${signedInCookie}=true`)) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the only way to remove it in all browsers
  document.cookie = `${signedInCookie}=; Path=/; Max-Age=0; SameSite=Strict`;
  sessionFlag.set();
}

/** Loads the current session. @throws Unreachable, ApiError nobody knows yet: ask again */
export async function recall(): Promise<void> {
  noticeSignIn();
  if (!sessionFlag.get()) {
    me.value = null;
    return;
  }
  try {
    const sessions = await ask(v.array(session), "/session");
    me.value = sessions.find(({ current }) => current) ?? null;
  } catch (error) {
    // Any other answer says nothing about the session: it is asked again.
    if (error instanceof ApiError && error.status === 403) me.value = null;
    else throw error;
  }
}

/**
 * The key is used once and not stored.
 * @throws ApiError
 */
export async function login(apiKey: string): Promise<void> {
  me.value = await ask(session, "/session", { method: "POST", headers: { "X-API-KEY": apiKey } });
  sessionFlag.set();
}

/** Unmounts the views first, which cancels their requests: none may be sent after the session has ended. */
export async function logout(): Promise<void> {
  const session = me.value;
  me.value = undefined;
  await new Promise((resolve) => setTimeout(resolve, 0));
  try {
    const { logoutUrl } = await page(v.string(), "/session/current", { method: "DELETE" });
    sessionFlag.forget();
    me.value = null;
    if (logoutUrl !== undefined) location.assign(logoutUrl);
  } catch (error) {
    // If ending the session failed, it is still shown, unless it was ended elsewhere.
    me.value = sessionFlag.get() ? session : null;
    throw error;
  }
}

/** Whether the key is not restricted to hosts. */
export function reachesAll(): boolean {
  return me.value?.hosts.length === 0;
}

export function may(scope: Scope): boolean {
  const keyScope = me.value?.scope;
  return keyScope !== undefined && includesScope(keyScope, scope);
}

/** Whether it may run the recipe. */
export function mayRun(recipe: string): boolean {
  return Boolean(me.value && mayRunRecipe(me.value, recipe));
}

/** Whether it is the session of a person who signed in, not of a key. */
export function isPerson(): boolean {
  return me.value?.person !== null && me.value?.key === null;
}

export function holds(right: Right): boolean {
  return me.value?.rights.includes(right) === true;
}
