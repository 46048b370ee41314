/** The route table. */
import type { OpenRouteDefinition } from "./open-route.ts";
import type { DescribedRoute, RouteDefinition } from "./route.ts";
import { auditRoutes } from "./routes/audit.ts";
import { bulkRoutes } from "./routes/bulk.ts";
import { changeRoutes } from "./routes/change.ts";
import { credentialRoutes } from "./routes/credential.ts";
import { detachedTaskRoutes } from "./routes/detached.ts";
import { submissionRoutes } from "./routes/device.ts";
import { docsRoutes } from "./routes/docs.ts";
import { eventRoutes } from "./routes/events.ts";
import { evidenceRoutes } from "./routes/evidence.ts";
import { exportRoutes } from "./routes/export.ts";
import { fileRoutes } from "./routes/file.ts";
import { healthRoutes } from "./routes/health.ts";
import { historyRoutes } from "./routes/history.ts";
import { historyRemoteRoutes } from "./routes/history-remote.ts";
import { hookRoutes, openHookRoutes } from "./routes/hook.ts";
import { hostKeyRoutes } from "./routes/host-key.ts";
import { intentRoutes } from "./routes/intent.ts";
import { inventoryRoutes } from "./routes/inventory.ts";
import { exchangeRoutes } from "./routes/inventory-exchange.ts";
import { sourceRoutes } from "./routes/inventory-source.ts";
import { jobRoutes } from "./routes/job.ts";
import { keyRoutes } from "./routes/key.ts";
import { ledgerRoutes } from "./routes/ledger.ts";
import { loginRoutes } from "./routes/login.ts";
import { loginDecisionRoutes, loginRequestRoutes } from "./routes/login-request.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { metricRoutes } from "./routes/metrics.ts";
import { ownKeyRoutes } from "./routes/own-key.ts";
import { oxidizedRoutes } from "./routes/oxidized.ts";
import { personRoutes } from "./routes/person.ts";
import { pluginRoutes } from "./routes/plugin.ts";
import { recipeRoutes } from "./routes/recipe.ts";
import { scheduleRoutes } from "./routes/schedule.ts";
import { sessionRoutes } from "./routes/session.ts";
import { settingRoutes } from "./routes/settings.ts";
import { statisticsRoutes } from "./routes/statistics.ts";
import { templateRoutes } from "./routes/template.ts";
import { storedTemplateRoutes } from "./routes/template-store.ts";
import { webhookRoutes } from "./routes/webhook.ts";
import { workerRoutes } from "./routes/worker.ts";

/** Routes with all that belongs to them. */
export const definitions: readonly RouteDefinition[] = [
  ...detachedTaskRoutes,
  ...workerRoutes,
  ...fileRoutes,
  ...pluginRoutes,
  ...statisticsRoutes,
  ...settingRoutes,
  ...keyRoutes,
  ...ownKeyRoutes,
  ...loginDecisionRoutes,
  ...personRoutes,
  ...sessionRoutes,
  ...hostKeyRoutes,
  ...credentialRoutes,
  ...healthRoutes,
  ...auditRoutes,
  ...ledgerRoutes,
  ...inventoryRoutes,
  ...exchangeRoutes,
  ...sourceRoutes,
  ...scheduleRoutes,
  ...recipeRoutes,
  ...hookRoutes,
  ...webhookRoutes,
  ...historyRoutes,
  ...historyRemoteRoutes,
  ...oxidizedRoutes,
  ...intentRoutes,
  ...changeRoutes,
  ...mcpRoutes,
  ...evidenceRoutes,
  ...submissionRoutes,
  ...templateRoutes,
  ...storedTemplateRoutes,
  ...jobRoutes,
  ...bulkRoutes,
  ...eventRoutes,
  ...exportRoutes,
  ...metricRoutes,
  ...docsRoutes(() => describedRoutes),
];

/** Routes that need no key. */
export const openDefinitions: readonly OpenRouteDefinition[] = [
  ...loginRoutes,
  ...loginRequestRoutes,
  ...openHookRoutes,
];

/** All, for their description. */
export const describedRoutes: readonly DescribedRoute[] = [...definitions, ...openDefinitions];

/**
 * Routes that store something new: refused while the disk has only the reserve for running work. All others work until
 * it is full: logins, cancellations, revocations and what stores nothing.
 */
const growing: ReadonlySet<string> = new Set([
  ...["POST /device/execute", "POST /device/bulk", "POST /job/:name/retry", "POST /bulk/:name/retry"],
  ...["POST /job/release", "POST /inventory/discover", "POST /inventory/import", "POST /inventory/device"],
  ...["PUT /inventory/device/:name", "PATCH /inventory/device/:name"],
  ...["PUT /inventory/group/:name", "PATCH /inventory/group/:name"],
  ...["PUT /inventory/source/:name", "POST /inventory/source/:name/sync"],
  ...[
    "POST /change",
    "PUT /change/:name",
    "POST /change/:name/plan",
    "POST /change/:name/start",
    "POST /change/:name/target/:item/compare",
    "POST /mcp",
  ],
  ...["PUT /recipe/:name", "POST /recipe/:name/run", "POST /recipe/:name/hook", "PUT /template/:name"],
  ...["POST /schedule", "PUT /schedule/:name", "PATCH /schedule/:name", "POST /schedule/:name/run"],
  ...[
    "POST /history/take",
    "GET /oxidized/node/next/:name",
    "GET /oxidized/node/next/:name/:item",
    "PUT /oxidized/node/next/:name",
    "PUT /oxidized/node/next/:name/:item",
    "POST /history/notify",
    "PUT /intent/:name",
    "POST /drift/run",
    "POST /drift/fix",
    "POST /history/import",
    "POST /evidence/import",
    "PUT /history/remote/:name",
    "POST /history/remote/:name/push",
    "POST /history/device/:name/:item/restore",
    "PUT /file/:name",
    "POST /key",
    "POST /person/me/key",
    "PUT /role/:name",
    "PUT /credential/:name",
  ],
  ...["POST /webhook", "PATCH /webhook/:name", "POST /webhook/:name/test"],
]);

export function needsSpace(method: string, path: string): boolean {
  return growing.has(`${method} ${path}`);
}
