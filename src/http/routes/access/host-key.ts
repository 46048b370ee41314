/** Host keys of devices. */

import * as v from "valibot";
import { acceptedHostKey, forgottenHostKeys, hostKeyRecord } from "../../../api/access/host-key.ts";
import { textParameter } from "../../../api/filters.ts";

import { route } from "../../route.ts";

const port = v.optional(
  v.pipe(v.string(), v.regex(/^\d{1,5}$/, "must be a port number"), v.transform(Number)),
);

export const hostKeyRoutes = [
  route({
    id: "listHostKeys",
    method: "GET",
    path: "/host-key",
    scope: "read",
    summary: "List the known host keys of devices, and what hosts presented in place of them",
    query: v.object({ host: textParameter }),
    answer: v.array(hostKeyRecord),
    handle: ({ caller, options }, { host }) => options.admin.listHostKeys(host, caller),
  }),
  route({
    id: "forgetHostKey",
    method: "DELETE",
    path: "/host-key/:name",
    scope: "admin",
    summary: "Forget the host keys of a device; `name` is its host",
    query: v.object({ port }),
    answer: forgottenHostKeys,
    handle: async ({ options, caller, name = "" }, { port }) => ({
      host: name,
      forgotten: await options.admin.forgetHostKey(name, port, caller),
    }),
  }),
  route({
    id: "acceptHostKey",
    method: "POST",
    path: "/host-key/:name/accept",
    scope: "admin",
    summary: "Accept the host key that a replaced device presented; `name` is its host",
    body: acceptedHostKey,
    answer: v.array(hostKeyRecord),
    async handle(call) {
      const { options, caller, name = "" } = call;
      return options.admin.acceptHostKey(name, await call.body(), caller);
    },
  }),
];
