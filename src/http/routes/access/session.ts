/** Login sessions: a cookie instead of the API key, for browsers. */

import * as v from "valibot";
import { endedSession } from "../../../api/access/login.ts";
import { loginLongestMs, loginSessionRecord } from "../../../api/access/login-session.ts";
import { text } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { success, successBeside } from "../../answer/respond.ts";
import type { Call } from "../../call.ts";
import { sessionCookie } from "../../request/auth.ts";
import { isSecure } from "../../request/request-facts.ts";
import { route } from "../../route.ts";

/** A login writes two rows with any scope, and people log in rarely. */
const loginCost = 100;

export const sessionRoutes = [
  route({
    id: "listSessions",
    method: "GET",
    path: "/session",
    scope: "read",
    summary: "List login sessions",
    answer: v.array(loginSessionRecord),
    handle: ({ caller, options }) => options.admin.listLoginSessions(caller),
  }),
  route({
    id: "beginSession",
    method: "POST",
    path: "/session",
    scope: "read",
    summary: "Begin a login session; its token is in a cookie",
    answer: loginSessionRecord,
    created: true,
    gives: { "Set-Cookie": "`patchbay_session`: HttpOnly, SameSite=Strict" },
    async handle(call) {
      const { caller, options, request } = call;
      options.admission.rateLimiter.spend(shareOf(caller), loginCost);
      const agent = request.headers.get("user-agent");
      const { token, session } = await options.admin.beginLoginSession(caller, agent);
      const cookie = cookieText(call, token, loginLongestMs / 1000);
      return success(session, "success", 201, { "Set-Cookie": cookie });
    },
  }),
  route({
    id: "endSession",
    method: "DELETE",
    path: "/session/:name",
    scope: "read",
    summary: "End a login session",
    answer: text,
    beside: endedSession,
    async handle(call) {
      const { caller, options, name = "" } = call;
      const askLogoutUrl = await options.signIn.beginLogout(caller);
      const id = await options.admin.endLoginSession(name, caller);
      options.forgetSession(id);
      if (id !== caller.sessionId) return success(id);
      const logoutUrl = await askLogoutUrl();
      const beside = logoutUrl === undefined ? {} : { logout_url: logoutUrl };
      return successBeside(id, beside, { "Set-Cookie": cookieText(call, "", 0) });
    },
  }),
];

/** HttpOnly, SameSite, and Secure over HTTPS. */
function cookieText({ request, url, options }: Call, value: string, maxAgeS: number): string {
  const secure = isSecure(request, url, options.behindProxy) ? "; Secure" : "";
  return `${sessionCookie}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`;
}
