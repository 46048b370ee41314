/** API keys. */
import * as v from "valibot";
import { changedKey, keyRecord, madeKey, newKeyRequest } from "../../../api/access/key.ts";
import { writerFilter } from "../../../api/filters.ts";
import { text } from "../../../api/schema.ts";
import { invalid } from "../../../base/issues.ts";
import { keyQuery, requireFilter } from "../../query.ts";
import { route } from "../../route.ts";

export const keyRoutes = [
  route({
    id: "listKeys",
    method: "GET",
    path: "/key",
    scope: "admin",
    summary: "List API keys, without the keys themselves",
    query: writerFilter,
    answer: v.array(keyRecord),
    handle: ({ caller, options }, query) => options.admin.listKeys(caller, query),
  }),
  route({
    id: "addKey",
    method: "POST",
    path: "/key",
    grows: true,
    scope: "admin",
    summary: "Create an API key; it is returned only once",
    body: newKeyRequest,
    answer: madeKey,
    created: true,
    handle: async (call) => call.options.admin.addKey(await call.body(), call.caller),
  }),
  route({
    id: "changeKey",
    method: "PATCH",
    path: "/key",
    scope: "admin",
    summary: "Change which credentials an API key may use, and its rights",
    query: keyQuery,
    body: changedKey,
    answer: text,
    fails: ["404"],
    async handle(call, query) {
      const key = keyNamed(query);
      await call.options.admin.changeKey(key, await call.body(), call.caller);
      return key;
    },
  }),
  route({
    id: "revokeKey",
    method: "DELETE",
    path: "/key",
    scope: "admin",
    summary: "Revoke an API key",
    query: keyQuery,
    answer: text,
    fails: ["404"],
    async handle(call, query) {
      const key = keyNamed(query);
      await call.options.admin.revokeKey(key, call.caller);
      return key;
    },
  }),
];

function keyNamed({ id, name }: v.InferOutput<typeof keyQuery>): string {
  requireFilter({ ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) }, [
    "id",
    "name",
  ]);
  if (id !== undefined && name !== undefined) throw invalid("name", "excludes id");
  return id ?? name ?? "";
}
