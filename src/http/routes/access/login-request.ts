/** Logins of command lines: the machine's side needs no key, the person's a session. */
import * as v from "valibot";
import {
  askedLoginRequest,
  decidedLogin,
  loginDecision,
  loginToken,
  loginTokenRequest,
  newLoginRequest,
  waitingLogin,
} from "../../../api/access/login-request.ts";
import { described } from "../../../api/schema.ts";
import { success } from "../../answer/respond.ts";
import { openRoute } from "../../open-route.ts";
import { noQuery } from "../../query.ts";
import { route } from "../../route.ts";

const maxBytes = 4_096;
/** Of the rate of one address. */
const cost = 10;

export const loginRequestRoutes = [
  openRoute({
    id: "askForLogin",
    method: "POST",
    path: "/login/request",
    summary: "A machine asks for a key of the person who will confirm it",
    query: noQuery,
    body: newLoginRequest,
    answer: askedLoginRequest,
    created: true,
    cost,
    async handle({ options, from, body }) {
      options.disk?.require();
      return success(await options.admin.askForLogin(await body(maxBytes), from), "success", 201);
    },
  }),
  openRoute({
    id: "exchangeLogin",
    method: "POST",
    path: "/login/token",
    summary: "The machine takes the key that a person has confirmed, once",
    query: noQuery,
    body: loginTokenRequest,
    answer: loginToken,
    fails: ["404", "409"],
    cost,
    handle: async ({ options, request, from, body }) =>
      success(await options.admin.exchangeLogin(await body(maxBytes), from, request.signal)),
  }),
];

export const loginDecisionRoutes = [
  route({
    id: "readWaitingLogin",
    method: "GET",
    path: "/person/me/login",
    scope: "read",
    summary: "Which machine waits for the person of this session to confirm it",
    query: v.object({
      request: v.optional(described(v.string(), "Id of a request with a port")),
      user_code: v.optional(described(v.string(), "Code of a request without one, as the machine shows it")),
    }),
    answer: waitingLogin,
    fails: ["404"],
    handle: ({ caller, options }, query) => options.admin.waitingLogin(query, caller),
  }),
  route({
    id: "decideLogin",
    method: "POST",
    path: "/person/me/login",
    scope: "read",
    summary: "Confirm or deny the login of a machine",
    body: loginDecision,
    answer: decidedLogin,
    fails: ["404"],
    handle: async (call) => call.options.admin.decideLogin(await call.body(), call.caller),
  }),
];
