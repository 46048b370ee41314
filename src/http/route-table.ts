/** The route table. */
import type { OpenRouteDefinition } from "./open-route.ts";
import type { DescribedRoute, RouteDefinition } from "./route.ts";
import { credentialRoutes } from "./routes/access/credential.ts";
import { hostKeyRoutes } from "./routes/access/host-key.ts";
import { keyRoutes } from "./routes/access/key.ts";
import { loginRoutes } from "./routes/access/login.ts";
import { loginDecisionRoutes, loginRequestRoutes } from "./routes/access/login-request.ts";
import { ownKeyRoutes } from "./routes/access/own-key.ts";
import { personRoutes } from "./routes/access/person.ts";
import { sessionRoutes } from "./routes/access/session.ts";
import { auditRoutes } from "./routes/admin/audit.ts";
import { pluginRoutes } from "./routes/admin/plugin.ts";
import { settingRoutes } from "./routes/admin/settings.ts";
import { statisticsRoutes } from "./routes/admin/statistics.ts";
import { workerRoutes } from "./routes/admin/worker.ts";
import { changeRoutes } from "./routes/changes/change.ts";
import { docsRoutes } from "./routes/docs.ts";
import { healthRoutes } from "./routes/health.ts";
import { historyRoutes } from "./routes/history/history.ts";
import { historyRemoteRoutes } from "./routes/history/history-remote.ts";
import { oxidizedRoutes } from "./routes/history/oxidized.ts";
import { intentRoutes } from "./routes/intent/intent.ts";
import { inventoryRoutes } from "./routes/inventory/inventory.ts";
import { exchangeRoutes } from "./routes/inventory/inventory-exchange.ts";
import { sourceRoutes } from "./routes/inventory/inventory-source.ts";
import { bulkRoutes } from "./routes/jobs/bulk.ts";
import { detachedTaskRoutes } from "./routes/jobs/detached.ts";
import { submissionRoutes } from "./routes/jobs/device.ts";
import { eventRoutes } from "./routes/jobs/events.ts";
import { exportRoutes } from "./routes/jobs/export.ts";
import { fileRoutes } from "./routes/jobs/file.ts";
import { jobRoutes } from "./routes/jobs/job.ts";
import { ledgerRoutes } from "./routes/ledger/ledger.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { metricRoutes } from "./routes/metrics.ts";
import { hookRoutes, openHookRoutes } from "./routes/recipes/hook.ts";
import { recipeRoutes } from "./routes/recipes/recipe.ts";
import { templateRoutes } from "./routes/recipes/template.ts";
import { storedTemplateRoutes } from "./routes/recipes/template-store.ts";
import { evidenceRoutes } from "./routes/rehearsal/evidence.ts";
import { scheduleRoutes } from "./routes/schedules/schedule.ts";
import { webhookRoutes } from "./routes/webhooks/webhook.ts";

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
