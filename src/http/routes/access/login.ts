/** Sign-in of people by OpenID Connect. None of these routes needs a key. */
import * as v from "valibot";
import { loginWays, signedInCookie } from "../../../api/access/login.ts";
import { described, text } from "../../../api/schema.ts";
import { ServiceError } from "../../../base/errors.ts";
import { statusOf, success } from "../../answer/respond.ts";
import { type OpenCall, openRoute } from "../../open-route.ts";
import { noQuery } from "../../query.ts";
import { cookieOf, sessionCookie } from "../../request/auth.ts";
import { acceptsPages, isOwnOrigin, isSecure } from "../../request/request-facts.ts";
import { loggedOutPage, signInPage } from "../../sign-in-page.ts";

/** A browser keeps it until the provider sends it back. */
const stateCookie = "patchbay_sign_in";
/** Beginning and ending a sign-in ask the provider, or check signatures. */
const providerCost = 5;
const maxTokenBytes = 64 * 1024;
/** Long enough for the console to load. */
const signedInS = 60;
const shownGroups = 20;

const pages = ["text/html"] as const;

export const loginRoutes = [
  openRoute({
    id: "listLoginWays",
    method: "GET",
    path: "/login",
    summary: "How people sign in to the console",
    query: noQuery,
    answer: loginWays,
    cost: 1,
    handle: ({ options }) => success(options.signIn.ways()),
  }),
  openRoute({
    id: "beginSignIn",
    method: "GET",
    path: "/login/:name",
    summary: "Send a browser to a provider to sign in",
    query: v.object({
      return: v.optional(described(v.string(), "Place of the console to return to, such as `/#/jobs`")),
      moved: v.optional(described(v.string(), "Set by the service when it leads to its public address")),
    }),
    answer: text,
    stream: pages,
    step: "Name of the provider",
    cost: providerCost,
    handle: (call, query) => asPage(call, () => begin(call, query)),
  }),
  openRoute({
    id: "finishSignIn",
    method: "GET",
    path: "/login/:name/callback",
    summary: "Where a provider sends the browser back to; begins a session",
    query: v.object({
      code: v.optional(described(v.string(), "Code of the provider")),
      state: v.optional(described(v.string(), "As it was sent to the provider")),
      iss: v.optional(described(v.string(), "Issuer of the answer")),
      error: v.optional(described(v.string(), "Why the provider refused")),
      error_description: v.optional(described(v.string(), "The same in words")),
    }),
    // Providers add parameters of their own.
    lenient: true,
    answer: text,
    stream: pages,
    step: "Name of the provider",
    gives: { "Set-Cookie": "`patchbay_session`: HttpOnly, SameSite=Strict" },
    cost: providerCost,
    handle: (call) => asPage(call, () => finish(call)),
  }),
  openRoute({
    id: "endSessionsByBackChannel",
    method: "POST",
    path: "/login/:name/backchannel",
    summary: "Back-channel logout: a provider ends sessions of a person",
    query: noQuery,
    answer: text,
    step: "Name of the provider",
    takes: "text",
    cost: providerCost,
    async handle(call) {
      const { options, name, from } = call;
      const token = new URLSearchParams(await call.text(maxTokenBytes)).get("logout_token");
      if (token === null) throw new ServiceError("BadRequest", "The form has no logout_token.");
      await options.signIn.endByBackChannel(name, token, from);
      return success("ended");
    },
  }),
  openRoute({
    id: "endSessionsByFrontChannel",
    method: "GET",
    path: "/login/:name/frontchannel",
    summary: "Front-channel logout: a page of the provider ends a session",
    query: v.object({
      iss: v.optional(described(v.string(), "Issuer of the provider")),
      sid: v.optional(described(v.string(), "Session at the provider")),
    }),
    lenient: true,
    answer: text,
    stream: pages,
    step: "Name of the provider",
    cost: providerCost,
    async handle({ options, name, url, from }) {
      const { framedBy } = await options.signIn.endByFrontChannel(name, url.searchParams, from);
      return loggedOutPage(framedBy);
    },
  }),
];

async function begin(
  call: OpenCall,
  query: { readonly return?: string | undefined; readonly moved?: string | undefined },
): Promise<Response> {
  const { request, url, options, name } = call;
  const { publicUrl, signIn, behindProxy } = options;
  // The provider returns to the public address, where the cookie must be.
  const isElsewhere = publicUrl !== undefined && !isOwnOrigin(publicUrl, request, url, behindProxy);
  if (isElsewhere && query.moved === undefined) {
    const there = new URL(`/login/${encodeURIComponent(name)}`, publicUrl);
    if (query.return !== undefined) there.searchParams.set("return", query.return);
    there.searchParams.set("moved", "true");
    return redirect(there.href);
  }
  const { location, state, stateMs } = await signIn.begin(name, query.return ?? null);
  return redirect(location, [stateCookieText(call, state, stateMs / 1000)]);
}

async function finish(call: OpenCall): Promise<Response> {
  const { request, url, options, name, from } = call;
  const ended = await options.signIn.finish({
    provider: name,
    answer: url.searchParams,
    state: cookieOf(request.headers.get("cookie"), stateCookie),
    from,
    agent: request.headers.get("user-agent"),
  });
  const used = stateCookieText(call, "", 0);
  if ("refused" in ended) {
    const { identity, refused } = ended;
    const { groups } = identity;
    const more = groups.length > shownGroups ? ` and ${groups.length - shownGroups} more` : "";
    const isBlocked = refused === "blocked";
    return signInPage({
      status: 403,
      title: isBlocked ? "You are blocked here" : "You have no role here",
      sentence: isBlocked
        ? `The provider "${name}" knows you, but an administrator of this service has blocked you.`
        : `The provider "${name}" knows you, but no role of this service names you or one of your groups. An administrator can add one.`,
      facts: {
        Name: identity.name,
        Subject: identity.subject,
        Groups: groups.length === 0 ? "none" : `${groups.slice(0, shownGroups).join(", ")}${more}`,
      },
      headers: { "Set-Cookie": used },
    });
  }
  const lastsS = Math.floor(ended.lastsMs / 1000);
  const secure = secureOf(call);
  return redirect(ended.returnPath, [
    used,
    `${sessionCookie}=${ended.token}; Path=/; Max-Age=${lastsS}; HttpOnly; SameSite=Strict${secure}`,
    // Tells the console, which does not see the other one, to ask for the session.
    `${signedInCookie}=true; Path=/; Max-Age=${signedInS}; SameSite=Strict${secure}`,
  ]);
}

/** A browser gets a page in place of the envelope of a failure. */
async function asPage(call: OpenCall, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || !acceptsPages(call.request)) throw error;
    const status = statusOf(error);
    if (status >= 500 && status !== 503) throw error;
    const { name, options } = call;
    options.log.warn("sign_in.refused", {
      provider: name.slice(0, 64),
      reason: error.message,
      from: call.from,
    });
    return signInPage({ status, title: "You are not signed in", sentence: error.message });
  }
}

function redirect(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ Location: location });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 302, headers });
}

/** Sent with the top-level navigation that the provider causes, and with nothing else. */
function stateCookieText(call: OpenCall, value: string, maxAgeS: number): string {
  const path = `/login/${encodeURIComponent(call.name)}/callback`;
  return `${stateCookie}=${value}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secureOf(call)}`;
}

const secureOf = ({ request, url, options }: OpenCall) =>
  isSecure(request, url, options.behindProxy) ? "; Secure" : "";
