/** Hooks of recipes, and the address where their senders deliver. */
import * as v from "valibot";
import {
  hookAnswer,
  hookChange,
  hookLimits,
  hookRecord,
  newHook,
  writtenHook,
} from "../../../api/recipes/hook.ts";
import { described, text } from "../../../api/schema.ts";
import { success } from "../../answer/respond.ts";
import { openRoute } from "../../open-route.ts";
import { noQuery } from "../../query.ts";
import { route } from "../../route.ts";

const step = "Name of the recipe";
const item = "Name of the hook";
const path = "/recipe/:name/hook/:item";
/** Of the rate of one address: ten in a second. */
const cost = 5;

export const hookRoutes = [
  route({
    id: "listHooks",
    method: "GET",
    path: "/recipe/:name/hook",
    step,
    scope: "read",
    summary: "List hooks of a recipe by name",
    answer: v.array(hookRecord),
    handle: ({ options, name = "", caller }) => options.hooks.list(name, caller),
  }),
  route({
    id: "addHook",
    method: "POST",
    path: "/recipe/:name/hook",
    grows: true,
    step,
    scope: "operate",
    runsRecipe: true,
    summary: "Create a hook, an address where another system starts runs",
    body: newHook,
    answer: writtenHook,
    created: true,
    fails: ["409"],
    async handle(call) {
      const { options, name = "", caller } = call;
      return success(await options.hooks.add(name, await call.body(), caller), "success", 201);
    },
  }),
  route({
    id: "readHook",
    method: "GET",
    path,
    ...{ step, item },
    scope: "read",
    summary: "Read a hook",
    answer: hookRecord,
    handle: ({ options, name = "", item: hook = "", caller }) => options.hooks.read(name, hook, caller),
  }),
  route({
    id: "changeHook",
    method: "PUT",
    path,
    ...{ step, item },
    scope: "operate",
    runsRecipe: true,
    summary: "Replace what a hook does; its runs have the rights of the caller from then on",
    body: hookChange,
    answer: writtenHook,
    refusable: true,
    async handle(call) {
      const { options, name = "", item: hook = "", caller } = call;
      return options.hooks.change(name, hook, await call.body(), caller);
    },
  }),
  route({
    id: "removeHook",
    method: "DELETE",
    path,
    ...{ step, item },
    scope: "operate",
    runsRecipe: true,
    summary: "Remove a hook; its runs go on",
    answer: described(text, "Its name"),
    handle: ({ options, name = "", item: hook = "", caller }) => options.hooks.remove(name, hook, caller),
  }),
];

export const openHookRoutes = [
  openRoute({
    id: "receiveHook",
    method: "POST",
    path: "/hook/:name",
    step: "Token of the hook",
    summary: "Another system starts a run of a recipe",
    query: noQuery,
    lenient: true,
    body: described(v.record(text, v.unknown()), "What the sender sends, an object"),
    answer: hookAnswer,
    created: true,
    fails: ["403", "404", "409"],
    cost,
    counted: "deliveries",
    async handle({ options, request, from, name, text: read }) {
      options.disk?.require();
      const body = await read(hookLimits.deliveryBytes);
      const answer = await options.hooks.receive(name, { headers: request.headers, text: body }, from);
      return success(answer, "success", answer.outcome === "started" ? 201 : 200);
    },
  }),
];
