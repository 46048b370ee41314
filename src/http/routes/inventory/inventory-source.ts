/** Sources that devices are imported from, and a manual sync. */

import * as v from "valibot";
import { isTrue, writerFilter } from "../../../api/filters.ts";
import {
  removedSource,
  sourceRecord,
  sourceRecordOf,
  syncAnswer,
  writtenSource,
} from "../../../api/inventory/inventory-source.ts";
import { stringifyExact } from "../../../base/json/exact-json.ts";
import { members } from "../../../base/json/objects.ts";
import type { PluginSchemas } from "../../../registry/plugin-schemas.ts";
import { rawData } from "../../answer/json-data.ts";
import { success } from "../../answer/respond.ts";
import { sendData } from "../../answer/send-answer.ts";
import { conditionOf, etagOf } from "../../precondition.ts";
import { route } from "../../route.ts";
import { dryRunParameter, leftOut } from "./inventory-exchange.ts";

const path = "/inventory/source/:name";
const step = "Name of the source";
const imported = ({ formats }: PluginSchemas) =>
  formats.filter(({ imports }) => imports).map(({ name }) => name);
const recordOf = (plugins: PluginSchemas) => sourceRecordOf(plugins.sources, imported(plugins));
const gives = { ETag: "Revision of the definition, for `If-Match`" };

export const sourceRoutes = [
  route({
    id: "listSources",
    method: "GET",
    path: "/inventory/source",
    scope: "admin",
    summary: "List sources of the inventory",
    query: writerFilter,
    answer: v.array(sourceRecord),
    varies: (plugins) => ({ answer: v.array(recordOf(plugins)) }),
    async handle(call, query) {
      const sources = await call.options.sources.list(call.caller, query);
      return sendData(rawData(JSON.stringify(sources)), call, { repeatable: true });
    },
  }),
  route({
    id: "readSource",
    method: "GET",
    path,
    step,
    scope: "admin",
    summary: "Read a source, with its last runs",
    answer: sourceRecord,
    varies: (plugins) => ({ answer: recordOf(plugins) }),
    gives,
    async handle({ options, name = "", caller }) {
      const { record, version } = await options.sources.read(name, caller);
      return success(record, "success", 200, etagOf(version));
    },
  }),
  route({
    id: "putSource",
    method: "PUT",
    path,
    grows: true,
    step,
    scope: "admin",
    summary: "Create (201) or replace (200) a source",
    body: members,
    varies: (plugins) => ({
      body: writtenSource(plugins.sources, imported(plugins)),
      answer: recordOf(plugins),
    }),
    headers: ["If-Match", "If-None-Match"],
    answer: sourceRecord,
    created: true,
    gives,
    fails: ["412"],
    async handle(call) {
      const { value } = await call.body();
      const { options, caller, name = "" } = call;
      const { record, version, added } = await options.sources.put(name, value, caller, conditionOf(call));
      return success(record, "success", added ? 201 : 200, etagOf(version));
    },
  }),
  route({
    id: "removeSource",
    method: "DELETE",
    path,
    step,
    scope: "admin",
    summary: "Remove a source; its devices stay",
    headers: ["If-Match"],
    answer: removedSource,
    fails: ["412"],
    async handle(call) {
      const { options, caller, name = "" } = call;
      await options.sources.remove(name, caller, conditionOf(call));
      return { name };
    },
  }),
  route({
    id: "syncSource",
    method: "POST",
    path: `${path}/sync`,
    grows: true,
    step,
    scope: "admin",
    summary: "Sync a source, or preview the changes",
    query: v.object({ dry_run: dryRunParameter }),
    answer: syncAnswer,
    beside: leftOut,
    refusable: true,
    fails: ["409", "413"],
    async handle(call, query) {
      const { options, request, caller, name = "" } = call;
      const asked = { dryRun: isTrue(query.dry_run), signal: request.signal };
      const { warnings, run, ...changes } = await options.sources.sync(name, asked, caller);
      return sendData(rawData(stringifyExact({ ...run, ...changes })), call, { warnings });
    },
  }),
];
