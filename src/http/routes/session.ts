/** GET, POST and DELETE /session: a cookie instead of the API key, for browsers. */
import { loginLongestMs } from "../../model/login-session.ts";
import { sessionCookie } from "../auth.ts";
import type { Call } from "../call.ts";
import { isSecure } from "../request-facts.ts";
import { success } from "../respond.ts";

/** A login writes two rows with any scope, and people log in rarely. */
const loginCost = 100;

export async function beginSession(call: Call): Promise<Response> {
  const { caller, options, request } = call;
  options.admission.rateLimiter.spend(caller.keyId, loginCost);
  const { token, session } = await options.jobs.beginLoginSession(caller, request.headers.get("user-agent"));
  const cookie = cookieText(call, token, loginLongestMs / 1000);
  return success(session, "success", 201, { "Set-Cookie": cookie });
}

export async function listSessions({ caller, options }: Call): Promise<Response> {
  return success(await options.jobs.listLoginSessions(caller));
}

export async function endSession(call: Call): Promise<Response> {
  const { caller, options, name = "" } = call;
  const id = await options.jobs.endLoginSession(name, caller);
  options.forgetSession(id);
  const isOwn = id === caller.sessionId;
  return success(id, "success", 200, isOwn ? { "Set-Cookie": cookieText(call, "", 0) } : {});
}

/** HttpOnly, SameSite, and Secure over HTTPS. */
function cookieText({ request, url, options }: Call, value: string, maxAgeS: number): string {
  const secure = isSecure(request, url, options.behindProxy) ? "; Secure" : "";
  return `${sessionCookie}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`;
}
