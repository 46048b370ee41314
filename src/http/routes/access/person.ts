/** Persons who sign in, and the roles that say what they may do. */
import * as v from "valibot";
import {
  changedPerson,
  forgottenPerson,
  meRecord,
  personRecord,
  rolePreview,
  rolePreviewRequest,
  roleRecord,
  roleRequest,
} from "../../../api/access/person.ts";
import { textParameter } from "../../../api/filters.ts";
import { text } from "../../../api/schema.ts";
import { success, successPage } from "../../answer/respond.ts";
import { limitParameter } from "../../query.ts";
import { route } from "../../route.ts";

const usualLimit = 100;
const stepOfPerson = "Name or id of the person";

export const personRoutes = [
  route({
    id: "listRoles",
    method: "GET",
    path: "/role",
    scope: "admin",
    summary: "List roles in the order in which they count",
    answer: v.array(roleRecord),
    handle: ({ caller, options }) => options.admin.listRoles(caller),
  }),
  route({
    id: "putRole",
    method: "PUT",
    path: "/role/:name",
    grows: true,
    scope: "admin",
    summary: "Create (201) or replace (200) a role",
    body: roleRequest,
    answer: roleRecord,
    created: true,
    async handle(call) {
      const { options, caller, name = "" } = call;
      const { outcome, role } = await options.admin.putRole(name, await call.body(), caller);
      return success(role, "success", outcome === "added" ? 201 : 200);
    },
  }),
  route({
    id: "removeRole",
    method: "DELETE",
    path: "/role/:name",
    scope: "admin",
    summary: "Remove a role",
    answer: text,
    async handle({ options, caller, name = "" }) {
      await options.admin.removeRole(name, caller);
      return name;
    },
  }),
  route({
    id: "previewRole",
    method: "POST",
    path: "/role/preview",
    scope: "admin",
    summary: "Which role would count for somebody, why, and what it allows",
    body: rolePreviewRequest,
    answer: rolePreview,
    fails: ["404"],
    handle: async (call) => call.options.admin.previewRole(await call.body(), call.caller),
  }),
  route({
    id: "listPersons",
    method: "GET",
    path: "/person",
    scope: "admin",
    summary: "List persons who have signed in, by name, with what each may do",
    query: v.object({ limit: limitParameter, cursor: textParameter }),
    answer: v.array(personRecord),
    paged: true,
    async handle({ options, caller }, { limit = usualLimit, cursor }) {
      const { persons, next } = await options.admin.listPersons(caller, limit, cursor);
      return successPage(persons, next);
    },
  }),
  route({
    id: "whoAmI",
    method: "GET",
    path: "/person/me",
    scope: "read",
    summary: "Who the request comes from, and what it may do",
    answer: meRecord,
    handle: ({ options, caller }) => options.admin.whoAmI(caller),
  }),
  route({
    id: "readPerson",
    method: "GET",
    path: "/person/:name",
    step: stepOfPerson,
    scope: "admin",
    summary: "Read a person",
    answer: personRecord,
    handle: ({ options, caller, name = "" }) => options.admin.readPerson(name, caller),
  }),
  route({
    id: "changePerson",
    method: "PATCH",
    path: "/person/:name",
    step: stepOfPerson,
    scope: "admin",
    summary: "Block a person, or let them in again",
    body: changedPerson,
    answer: personRecord,
    async handle(call) {
      const { options, caller, name = "" } = call;
      return options.admin.changePerson(name, await call.body(), caller);
    },
  }),
  route({
    id: "forgetPerson",
    method: "POST",
    path: "/person/:name/forget",
    step: stepOfPerson,
    scope: "admin",
    summary: "Replace the name of a person who has left by a pseudonym, everywhere",
    answer: forgottenPerson,
    handle: ({ options, caller, name = "" }) => options.admin.forgetPerson(name, caller),
  }),
];
