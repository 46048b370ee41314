/** Login sessions, used by browsers and terminals in place of an API key. */
import * as v from "valibot";
import { described, moment, named, text, texts, type Unchanged } from "../schema.ts";
import { heldRecipes, heldRights, scopes } from "./key.ts";

/** Idle timeout. */
export const loginIdleMs = 12 * 3_600_000;
/** Maximum lifetime. */
export const loginLongestMs = 7 * 24 * 3_600_000;
/** Maximum per key; another one ends the least recently used. */
export const maxLogins = 50;

/** As in GET /session, without the token. */
export const loginSessionRecord = named(
  "LoginSession",
  v.object({
    id: text,
    key: described(
      v.nullable(text),
      "Name of the API key whose scope, hosts, rights and recipes it has; null: it is a person's",
    ),
    person: described(v.nullable(text), "Name of the person who signed in; null: it was begun with a key"),
    scope: v.picklist(scopes),
    hosts: texts,
    rights: heldRights,
    recipes: heldRecipes,
    created_at: moment,
    last_seen_at: moment,
    expires_at: described(moment, "When it ends without further requests"),
    address: described(v.nullable(text), "Client address at login; null on a unix socket"),
    agent: described(v.nullable(text), "User-Agent at login, at most 200 characters"),
    current: described(v.boolean(), "Whether this is the session of the request"),
  }),
);
export type LoginSessionRecord = Unchanged<v.InferOutput<typeof loginSessionRecord>>;
