/** The store contract: every invariant of src/store/port.ts, for every implementation. */
import { describe } from "vitest";
import { auditContract } from "./audit.ts";
import { bulkCountsContract } from "./bulk-counts.ts";
import { bulksContract } from "./bulks.ts";
import { changesContract } from "./changes.ts";
import { claimsContract } from "./claims.ts";
import { deliveriesContract } from "./deliveries.ts";
import { detachedContract } from "./detached.ts";
import { driftContract } from "./drift.ts";
import { eventsContract } from "./events.ts";
import type { MakeStorePlace } from "./fixture.ts";
import { forgettingContract } from "./forgetting.ts";
import { historyContract } from "./history.ts";
import { hooksContract } from "./hooks.ts";
import { idempotencyContract } from "./idempotency.ts";
import { intentsContract } from "./intents.ts";
import { inventoryContract } from "./inventory.ts";
import { jobsContract } from "./jobs.ts";
import { keysContract } from "./keys.ts";
import { ledgerContract } from "./ledger.ts";
import { loginRequestsContract } from "./login-requests.ts";
import { nodesContract } from "./nodes.ts";
import { observationsContract } from "./observations.ts";
import { pacingContract } from "./pacing.ts";
import { personsContract } from "./persons.ts";
import { recipesContract } from "./recipes.ts";
import { recoveryContract } from "./recovery.ts";
import { remotesContract } from "./remotes.ts";
import { retentionContract } from "./retention.ts";
import { rotationContract } from "./rotation.ts";
import { schedulesContract } from "./schedules.ts";
import { settlementsContract } from "./settlements.ts";
import { sourcesContract } from "./sources.ts";
import { storeContract } from "./store.ts";
import { transcriptsContract } from "./transcripts.ts";
import { webhooksContract } from "./webhooks.ts";
import { workersContract } from "./workers.ts";

const aspects = {
  jobs: jobsContract,
  bulks: bulksContract,
  "counts of bulks": bulkCountsContract,
  idempotency: idempotencyContract,
  changes: changesContract,
  claims: claimsContract,
  intents: intentsContract,
  settlements: settlementsContract,
  events: eventsContract,
  nodes: nodesContract,
  pacing: pacingContract,
  schedules: schedulesContract,
  hooks: hooksContract,
  recipes: recipesContract,
  drift: driftContract,
  recovery: recoveryContract,
  deliveries: deliveriesContract,
  workers: workersContract,
  detached: detachedContract,
  keys: keysContract,
  loginRequests: loginRequestsContract,
  persons: personsContract,
  pseudonyms: forgettingContract,
  inventory: inventoryContract,
  sources: sourcesContract,
  observations: observationsContract,
  audit: auditContract,
  transcripts: transcriptsContract,
  ledger: ledgerContract,
  history: historyContract,
  remotes: remotesContract,
  webhooks: webhooksContract,
  retention: retentionContract,
  rotation: rotationContract,
  "the store": storeContract,
};

export function describeContract(implementation: string, makePlace: MakeStorePlace): void {
  describe(implementation, () => {
    for (const [aspect, contract] of Object.entries(aspects))
      describe(aspect, () => {
        contract(makePlace);
      });
  });
}
