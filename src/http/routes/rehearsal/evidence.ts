/** The record of lines: what devices answered, by shape. */
import * as v from "valibot";
import { textParameter } from "../../../api/filters.ts";
import { evidenceAnswer, evidenceImport, evidenceRecord } from "../../../api/rehearsal/rehearsal.ts";
import { described } from "../../../api/schema.ts";
import { successPage } from "../../answer/respond.ts";
import { limitParameter, omitUndefined } from "../../query.ts";
import { route } from "../../route.ts";

const defaultLimit = 100;

export const evidenceRoutes = [
  route({
    id: "listEvidence",
    method: "GET",
    path: "/evidence",
    scope: "read",
    summary: "List what devices answered to pushed lines, by shape: no names, values or secrets are in it",
    query: v.object({
      limit: limitParameter,
      cursor: textParameter,
      platform: described(textParameter, "Only of this platform"),
    }),
    answer: v.array(evidenceRecord),
    paged: true,
    async handle({ options, caller }, { limit = defaultLimit, cursor, platform }) {
      const asked = omitUndefined({ limit, cursor });
      const { items, next } = await options.lineRecord.page({ platform }, caller, asked);
      return successPage(items, next);
    },
  }),
  route({
    id: "importEvidence",
    method: "POST",
    path: "/evidence/import",
    grows: true,
    scope: "admin",
    summary: "Add what devices of another site answered, as it was exported there",
    body: evidenceImport,
    answer: evidenceAnswer,
    handle: async (call) => {
      const { value } = await call.body();
      return call.options.lineRecord.add(value, call.caller);
    },
  }),
];
