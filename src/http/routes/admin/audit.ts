/** The audit trail. */

import * as v from "valibot";
import { auditEntry } from "../../../api/admin/audit.ts";
import { shareOf } from "../../../auth/caller.ts";
import { successPage } from "../../answer/respond.ts";
import { auditQuery, omitUndefined } from "../../query.ts";
import { route } from "../../route.ts";

const defaultLimit = 100;

export const auditRoutes = [
  route({
    id: "listAuditEntries",
    method: "GET",
    path: "/audit",
    scope: "admin",
    summary: "Audit trail, newest first",
    query: auditQuery,
    answer: v.array(auditEntry),
    paged: true,
    async handle({ options, caller, reservation }, { limit = defaultLimit, ...filter }) {
      reservation.hold(options.admission.lists.take(shareOf(caller)));
      const { entries, next_cursor } = await options.admin.audit({ ...omitUndefined(filter), limit }, caller);
      return successPage(entries, next_cursor);
    },
  }),
];
