/** Changes of which there are none. */
import { ServiceError } from "../../../src/base/errors.ts";
import type { ChangeFeed, Changes } from "../../../src/changes/port.ts";

const notThere = () => Promise.reject(new ServiceError("NotFound", "There is no such change."));

export const noChanges: Changes = {
  list: async () => ({ items: [], next: undefined }),
  read: notThere,
  targets: notThere,
  difference: notThere,
  compare: notThere,
  report: notThere,
  reportText: notThere,
  steps: notThere,
  propose: notThere,
  draft: notThere,
  edit: notThere,
  plan: notThere,
  rehearse: notThere,
  vote: notThere,
  say: notThere,
};

/** Ends at once. */
export const noChangeFeed: ChangeFeed = { async *follow() {} };
