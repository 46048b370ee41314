/** Keys that persons make for themselves. */
import * as v from "valibot";
import { keyRecord, madeKey } from "../../../api/access/key.ts";
import { newOwnKey } from "../../../api/access/own-key.ts";
import { text } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { route } from "../../route.ts";

/** A key writes two rows with any scope, and people make few. */
const keyCost = 100;

export const ownKeyRoutes = [
  route({
    id: "listOwnKeys",
    method: "GET",
    path: "/person/me/key",
    scope: "read",
    summary: "List the keys of the person who calls",
    answer: v.array(keyRecord),
    handle: ({ caller, options }) => options.admin.listOwnKeys(caller),
  }),
  route({
    id: "addOwnKey",
    method: "POST",
    path: "/person/me/key",
    grows: true,
    scope: "read",
    summary: "Create a key of the person who calls; it is returned only once",
    body: newOwnKey,
    answer: madeKey,
    created: true,
    fails: ["409"],
    async handle(call) {
      const { admin, admission } = call.options;
      admission.rateLimiter.spend(shareOf(call.caller), keyCost);
      return admin.addOwnKey(await call.body(), call.caller);
    },
  }),
  route({
    id: "revokeOwnKey",
    method: "DELETE",
    path: "/person/me/key/:name",
    scope: "read",
    summary: "Revoke a key of the person who calls; `current` is the key of the request",
    step: "Id or name of the key, or `current`",
    answer: text,
    handle: ({ caller, options, name = "" }) => options.admin.revokeOwnKey(name, caller),
  }),
];
