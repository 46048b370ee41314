/** The jobs of one request for many devices: list, read, cancel, results. */

import * as v from "valibot";
import { isTrue } from "../../../api/filters.ts";
import { bulkDetail, bulkRecord, cancelledBulk } from "../../../api/jobs/bulk.ts";
import { resultGroups } from "../../../api/jobs/result-groups.ts";
import { shareOf } from "../../../auth/caller.ts";
import { successPage } from "../../answer/respond.ts";
import { bulkQuery, cancelBulkQuery, omitUndefined, resultsQuery } from "../../query.ts";
import { route } from "../../route.ts";

const usualLimit = 50;

export const bulkRoutes = [
  route({
    id: "listBulks",
    method: "GET",
    path: "/bulk",
    scope: "read",
    summary: "List bulks with their job counts, newest first",
    query: bulkQuery,
    answer: v.array(bulkRecord),
    paged: true,
    async handle(call, { limit = usualLimit, cursor, ...filter }) {
      const { jobs, admission } = call.options;
      const { caller } = call;
      call.reservation.hold(admission.lists.take(shareOf(caller)));
      const page = { limit, ...omitUndefined({ cursor }) };
      const { bulks, next } = await jobs.bulks(omitUndefined(filter), caller, page);
      return successPage(bulks, next);
    },
  }),
  route({
    id: "readBulk",
    method: "GET",
    path: "/bulk/:name",
    scope: "read",
    summary: "Progress and outcome of one bulk; `name` is its id",
    answer: bulkDetail,
    handle: ({ options, name = "", caller }) => options.jobs.bulkRecord(name, caller),
  }),
  route({
    id: "cancelBulk",
    method: "DELETE",
    path: "/bulk/:name",
    scope: "operate",
    summary: "Cancel the waiting jobs of a bulk and, with `force`, stop the running ones",
    query: cancelBulkQuery,
    answer: cancelledBulk,
    handle(call, { force }) {
      const { caller, request, name = "" } = call;
      return call.options.jobs.cancelBulk(name, isTrue(force), caller, request.signal);
    },
  }),
  route({
    id: "readBulkResults",
    method: "GET",
    path: "/bulk/:name/results",
    scope: "read",
    summary: "The results of a bulk, equal outputs as one; `name` is its id",
    query: resultsQuery,
    answer: resultGroups,
    // Loaded at its first use.
    handle: async (call, query) => (await import("./results.ts")).answerResults(call, query),
  }),
];
