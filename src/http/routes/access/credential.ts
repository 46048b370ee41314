/** Credentials stored on the appliance, never their values. */

import * as v from "valibot";
import {
  credentialName,
  credentialRecord,
  newCredential,
  ownSource,
} from "../../../api/access/credential.ts";
import { textParameter, truthCondition, writerFilter } from "../../../api/filters.ts";
import { described } from "../../../api/schema.ts";
import { success } from "../../answer/respond.ts";
import { route } from "../../route.ts";

const query = v.object({ source: textParameter });
const setQuery = v.object({
  ...query.entries,
  keep: described(
    truthCondition,
    "`true`: one that is there stays as it is, and with other values this is refused",
  ),
});

export const credentialRoutes = [
  route({
    id: "listCredentials",
    method: "GET",
    path: "/credential",
    scope: "admin",
    summary: "List stored credentials, without their values",
    query: writerFilter,
    answer: v.array(credentialRecord),
    handle: ({ caller, options }, query) => options.admin.listCredentials(caller, query),
  }),
  route({
    id: "setCredential",
    method: "PUT",
    path: "/credential/:name",
    grows: true,
    scope: "admin",
    summary: "Create (201) or replace (200) a credential",
    query: setQuery,
    body: newCredential,
    answer: credentialName,
    created: true,
    async handle(call, { source = ownSource, keep = false }) {
      const { options, caller, name = "" } = call;
      const outcome = await options.admin.setCredential(name, source, await call.body(), caller, keep);
      return success({ source, ref: name }, "success", outcome === "added" ? 201 : 200);
    },
  }),
  route({
    id: "removeCredential",
    method: "DELETE",
    path: "/credential/:name",
    scope: "admin",
    summary: "Remove a credential",
    query,
    answer: credentialName,
    async handle({ options, caller, name = "" }, { source = ownSource }) {
      await options.admin.removeCredential(name, source, caller);
      return { source, ref: name };
    },
  }),
];
