/** Stored templates. */
import * as v from "valibot";
import {
  draftRequest,
  listedTemplate,
  templateRecord,
  templateRequest,
  templateTests,
  versionRecord,
} from "../../../api/recipes/template.ts";
import { described, text } from "../../../api/schema.ts";
import { conditionOf } from "../../precondition.ts";
import { route } from "../../route.ts";
import { versionAnswer, versionGiven, versionQuery } from "./versions.ts";

const path = "/template/:name";
const step = "Name of the template";

export const storedTemplateRoutes = [
  route({
    id: "listTemplates",
    method: "GET",
    path: "/template",
    scope: "read",
    summary: "List stored templates by name",
    answer: v.array(listedTemplate),
    handle: ({ options, caller }) => options.templates.list(caller),
  }),
  route({
    id: "readTemplate",
    method: "GET",
    path,
    step,
    scope: "read",
    summary: "Read a stored template, in the version in force or another one",
    query: versionQuery,
    answer: templateRecord,
    gives: versionGiven,
    handle: async ({ options, name = "", caller }, { version }) =>
      versionAnswer(await options.templates.read(name, caller, version)),
  }),
  route({
    id: "listTemplateVersions",
    method: "GET",
    path: "/template/version/:name",
    step,
    scope: "read",
    summary: "List the versions of a stored template that are kept, newest first",
    answer: v.array(versionRecord),
    handle: ({ options, name = "", caller }) => options.templates.versions(name, caller),
  }),
  route({
    id: "putTemplate",
    method: "PUT",
    path,
    grows: true,
    step,
    scope: "admin",
    summary: "Create (201) a stored template, or write its next version (200), if its tests pass",
    body: templateRequest,
    headers: ["If-Match", "If-None-Match"],
    answer: templateRecord,
    created: true,
    gives: versionGiven,
    fails: ["412"],
    async handle(call) {
      const { options, caller, name = "", request } = call;
      const condition = conditionOf(call);
      const body = await call.body();
      const { record, added } = await options.templates.put(name, body, caller, condition, request.signal);
      return versionAnswer(record, added);
    },
  }),
  route({
    id: "removeTemplate",
    method: "DELETE",
    path,
    step,
    scope: "admin",
    summary: "Remove a stored template with all its versions; jobs keep its text",
    headers: ["If-Match"],
    answer: described(text, "Its name"),
    fails: ["412"],
    async handle(call) {
      const { options, caller, name = "" } = call;
      await options.templates.remove(name, caller, conditionOf(call));
      return name;
    },
  }),
  route({
    id: "testTemplate",
    method: "POST",
    path: "/template/test/:name",
    step,
    scope: "operate",
    summary: "Run the tests of a stored template, or of a draft",
    body: draftRequest,
    answer: templateTests,
    async handle(call) {
      const { options, caller, name = "", request } = call;
      return options.templates.test(name, await call.body(), caller, request.signal);
    },
  }),
];
