/** The route table: method, path, required scope, handler, parameters. */
import type { RouteRow } from "./call.ts";
import {
  auditQuery,
  bulkEventQuery,
  bulkExportQuery,
  bulkQuery,
  cancelBulkQuery,
  cancelQuery,
  credentialQuery,
  detachedOutputQuery,
  detachedTaskQuery,
  deviceListQuery,
  endDetachedQuery,
  entryQuery,
  eventQuery,
  exportQuery,
  forgetHostKeyQuery,
  groupListQuery,
  hostKeyQuery,
  jobQuery,
  keyQuery,
  putFileQuery,
  releaseQuery,
  scheduleQuery,
  statisticsQuery,
  workerQuery,
} from "./query.ts";
import { importQuery, inventoryExportQuery, syncQuery } from "./query-exchange.ts";
import { cancelBulk, listBulks, readBulk } from "./routes/bulk.ts";
import { listCredentials, removeCredential, setCredential } from "./routes/credential.ts";
import { endDetachedTask, listDetachedTasks, readDetachedTask } from "./routes/detached.ts";
import { bulk, discover, execute, retryBulk, retryJob, testConnection } from "./routes/device.ts";
import { docsPage, openApi } from "./routes/docs.ts";
import { watchAll, watchBulk, watchJob } from "./routes/events.ts";
import { exportBulk, exportJobs } from "./routes/export.ts";
import { deleteFile, getFile, listFiles, putFile } from "./routes/file.ts";
import { audit, health } from "./routes/health.ts";
import { acceptHostKey, forgetHostKey, listHostKeys } from "./routes/host-key.ts";
import { deviceRoutes, groupRoutes, listDevices, listGroups, upsertDevices } from "./routes/inventory.ts";
import { exportInventory, importInventory } from "./routes/inventory-exchange.ts";
import { listSources, putSource, readSource, removeSource, syncSource } from "./routes/inventory-source.ts";
import { cancelJobs, listJobs, readSent, releaseJobs } from "./routes/job.ts";
import { addKey, changeKey, listKeys, revokeKey } from "./routes/key.ts";
import { metrics } from "./routes/metrics.ts";
import { listPlugins } from "./routes/plugin.ts";
import {
  addSchedule,
  changeSchedule,
  listFirings,
  listSchedules,
  pauseSchedule,
  previewSchedule,
  readSchedule,
  removeSchedule,
  replaceSchedule,
  resumeSchedule,
  runSchedule,
} from "./routes/schedule.ts";
import { beginSession, endSession, listSessions } from "./routes/session.ts";
import { listLicences, listSettings } from "./routes/settings.ts";
import { readStatistics } from "./routes/statistics.ts";
import { parse, render } from "./routes/template.ts";
import { listWorkers, stopWorkers } from "./routes/worker.ts";

export const routes: readonly RouteRow[] = [
  ["POST", "/device/execute", "operate", execute],
  ["POST", "/device/bulk", "operate", bulk],
  ["POST", "/device/test-connection", "operate", testConnection],
  ["POST", "/template/render", "operate", render],
  ["POST", "/template/render/:name", "operate", render],
  ["POST", "/template/parse", "operate", parse],
  ["POST", "/template/parse/:name", "operate", parse],
  ["GET", "/job", "read", listJobs, jobQuery],
  ["GET", "/job/export", "read", exportJobs, exportQuery],
  ["GET", "/job/:name/events", "read", watchJob],
  ["GET", "/job/:name/sent", "read", readSent],
  ["GET", "/bulk", "read", listBulks, bulkQuery],
  ["GET", "/bulk/:name", "read", readBulk],
  ["DELETE", "/bulk/:name", "operate", cancelBulk, cancelBulkQuery],
  ["POST", "/job/:name/retry", "operate", retryJob],
  ["POST", "/bulk/:name/retry", "operate", retryBulk],
  ["GET", "/bulk/:name/events", "read", watchBulk, bulkEventQuery],
  ["GET", "/events", "read", watchAll, eventQuery],
  ["GET", "/bulk/:name/export", "read", exportBulk, bulkExportQuery],
  ["DELETE", "/job", "operate", cancelJobs, cancelQuery],
  ["POST", "/job/release", "operate", releaseJobs, releaseQuery],
  ["POST", "/inventory/discover", "operate", discover],
  ["POST", "/inventory/import", "admin", importInventory, importQuery],
  ["GET", "/inventory/export", "read", exportInventory, inventoryExportQuery],
  ["GET", "/inventory/source", "admin", listSources],
  ["GET", "/inventory/source/:name", "admin", readSource],
  ["PUT", "/inventory/source/:name", "admin", putSource],
  ["DELETE", "/inventory/source/:name", "admin", removeSource],
  ["POST", "/inventory/source/:name/sync", "admin", syncSource, syncQuery],
  ["GET", "/detached-task", "read", listDetachedTasks, detachedTaskQuery],
  ["GET", "/detached-task/:name", "read", readDetachedTask, detachedOutputQuery],
  ["DELETE", "/detached-task/:name", "operate", endDetachedTask, endDetachedQuery],
  ["GET", "/schedule", "read", listSchedules, scheduleQuery],
  ["POST", "/schedule", "operate", addSchedule],
  ["POST", "/schedule/preview", "operate", previewSchedule],
  ["GET", "/schedule/:name", "read", readSchedule],
  ["PUT", "/schedule/:name", "operate", replaceSchedule],
  ["PATCH", "/schedule/:name", "operate", changeSchedule],
  ["DELETE", "/schedule/:name", "operate", removeSchedule],
  ["POST", "/schedule/:name/pause", "operate", pauseSchedule],
  ["POST", "/schedule/:name/resume", "operate", resumeSchedule],
  ["POST", "/schedule/:name/run", "operate", runSchedule],
  ["GET", "/schedule/:name/firing", "read", listFirings, scheduleQuery],
  ["GET", "/worker", "read", listWorkers, workerQuery],
  ["DELETE", "/worker", "admin", stopWorkers, workerQuery],
  ["GET", "/file", "operate", listFiles],
  ["PUT", "/file/:name", "operate", putFile, putFileQuery],
  ["GET", "/file/:name", "operate", getFile],
  ["DELETE", "/file/:name", "operate", deleteFile],
  ["GET", "/plugin", "admin", listPlugins],
  ["GET", "/statistics", "read", readStatistics, statisticsQuery],
  ["GET", "/settings", "admin", listSettings],
  ["GET", "/licenses", "read", listLicences],
  ["GET", "/key", "admin", listKeys],
  ["POST", "/key", "admin", addKey],
  ["PATCH", "/key", "admin", changeKey, keyQuery],
  ["DELETE", "/key", "admin", revokeKey, keyQuery],
  ["GET", "/session", "read", listSessions],
  ["POST", "/session", "read", beginSession],
  ["DELETE", "/session/:name", "read", endSession],
  ["GET", "/host-key", "read", listHostKeys, hostKeyQuery],
  ["DELETE", "/host-key/:name", "admin", forgetHostKey, forgetHostKeyQuery],
  ["POST", "/host-key/:name/accept", "admin", acceptHostKey],
  ["GET", "/credential", "admin", listCredentials],
  ["PUT", "/credential/:name", "admin", setCredential, credentialQuery],
  ["DELETE", "/credential/:name", "admin", removeCredential, credentialQuery],
  ["GET", "/inventory/device", "read", listDevices, deviceListQuery],
  ["POST", "/inventory/device", "admin", upsertDevices],
  ["GET", "/inventory/device/:name", "read", deviceRoutes.read, entryQuery],
  ["PUT", "/inventory/device/:name", "admin", deviceRoutes.put],
  ["PATCH", "/inventory/device/:name", "admin", deviceRoutes.patch],
  ["DELETE", "/inventory/device/:name", "admin", deviceRoutes.remove],
  ["GET", "/inventory/group", "read", listGroups, groupListQuery],
  ["GET", "/inventory/group/:name", "read", groupRoutes.read, entryQuery],
  ["PUT", "/inventory/group/:name", "admin", groupRoutes.put],
  ["PATCH", "/inventory/group/:name", "admin", groupRoutes.patch],
  ["DELETE", "/inventory/group/:name", "admin", groupRoutes.remove],
  ["GET", "/health", "read", health],
  ["GET", "/metrics", "read", metrics],
  ["GET", "/audit", "admin", audit, auditQuery],
  ["GET", "/openapi.json", "read", openApi],
  ["GET", "/docs", "read", docsPage],
];
