/** The history of other programs and for them: import, Git remotes, and its export as a bundle. */
import * as v from "valibot";
import { writerFilter } from "../../../api/filters.ts";
import { importAnswer, importRequest } from "../../../api/history/history-import.ts";
import { remoteRecord, remoteRequest, removedRemote } from "../../../api/history/history-remote.ts";
import { described, text } from "../../../api/schema.ts";
import { success } from "../../answer/respond.ts";
import { sendBytes, whileAllowed } from "../../answer/send-answer.ts";
import { bytes, type RouteDefinition, route } from "../../route.ts";

const path = "/history/remote/:name";
const step = "Name of the remote";
const right = "history";

export const historyRemoteRoutes: readonly RouteDefinition[] = [
  route({
    id: "importHistory",
    method: "POST",
    path: "/history/import",
    grows: true,
    scope: "admin",
    right,
    summary: "Import versions that another program kept",
    body: importRequest,
    answer: importAnswer,
    async handle(call) {
      const { value } = await call.body();
      return call.options.historyImport.add(value, call.caller, call.request.signal);
    },
  }),
  route({
    id: "listRemotes",
    method: "GET",
    path: "/history/remote",
    scope: "read",
    right,
    summary: "List the Git remotes of the history",
    query: writerFilter,
    answer: v.array(remoteRecord),
    handle: ({ options, caller }, query) => options.remotes.list(caller, query),
  }),
  route({
    id: "readRemote",
    method: "GET",
    path,
    step,
    scope: "read",
    right,
    summary: "Read a Git remote, and how far it is",
    answer: remoteRecord,
    handle: ({ options, caller, name = "" }) => options.remotes.read(name, caller),
  }),
  route({
    id: "putRemote",
    method: "PUT",
    path,
    grows: true,
    step,
    scope: "admin",
    right,
    summary: "Create (201) or replace (200) a Git remote; good versions are pushed to it from then on",
    body: remoteRequest,
    answer: remoteRecord,
    created: true,
    async handle(call) {
      const { value } = await call.body();
      const { record, added } = await call.options.remotes.put(call.name ?? "", value, call.caller);
      return success(record, "success", added ? 201 : 200);
    },
  }),
  route({
    id: "removeRemote",
    method: "DELETE",
    path,
    step,
    scope: "admin",
    right,
    summary: "Remove a Git remote; what was pushed stays there",
    answer: removedRemote,
    async handle({ options, caller, name = "" }) {
      await options.remotes.remove(name, caller);
      return { name };
    },
  }),
  route({
    id: "pushRemote",
    method: "POST",
    path: `${path}/push`,
    grows: true,
    step,
    scope: "admin",
    right,
    summary: "Push to a Git remote now",
    answer: remoteRecord,
    refusable: true,
    fails: ["409"],
    handle(call) {
      const { options, caller, request, name = "" } = call;
      return options.remotes.push(name, caller, request.signal);
    },
  }),
  route({
    id: "exportHistory",
    method: "GET",
    path: "/history/export.bundle",
    scope: "read",
    right,
    summary: "Export the good versions as a Git bundle, which `git clone` takes",
    query: v.object({
      group: v.optional(described(v.pipe(text, v.maxLength(128)), "Only those of this group")),
    }),
    answer: bytes,
    stream: ["application/x-git-bundle"],
    async handle(call, { group }) {
      const { options, caller, request } = call;
      const pieces = await options.remotes.bundle(group, caller, request.signal);
      return sendBytes(whileAllowed(pieces, call), call, {
        headers: {
          "Content-Type": "application/x-git-bundle",
          "Content-Disposition": 'attachment; filename="history.bundle"',
        },
      });
    },
  }),
];
